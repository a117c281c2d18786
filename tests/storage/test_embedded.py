import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import psycopg
import pytest

from storage import postgres_programs
from storage.address import libpq_address, parse_address
from storage.embedded import is_running, socket_folder, start_postgres, stop_postgres
from storage.errors import EmbeddedPostgresError
from storage.postgres_programs import Account, find_programs

CHECKOUT = Path(__file__).parents[2]
IS_ROOT = os.geteuid() == 0


@pytest.fixture
def home():
    """Return a private folder with spaces in its path; what runs in it is stopped."""
    parent = Path(tempfile.mkdtemp(prefix="polysense test "))
    yield parent / "a home" / "postgres"
    stop_postgres(parent / "a home" / "postgres")
    shutil.rmtree(parent)


def query(url, statement):
    with psycopg.connect(libpq_address(url)) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchone()[0] if cursor.description else None


def start_elsewhere(home, **options):
    code = (
        "import sys, pathlib; from storage.embedded import start_postgres;"
        "print(start_postgres(pathlib.Path(sys.argv[1]), is_throwaway=True))"
    )
    command = [sys.executable, "-W", "error", "-c", code, str(home)]
    return subprocess.Popen(command, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True, **options)


def postmaster_pid(home):
    return int((home / "data" / "postmaster.pid").read_text().splitlines()[0])


def kill(process_id, number):
    process = psutil.Process(process_id)
    children = process.children(recursive=True)
    process.send_signal(number)
    psutil.wait_procs([process, *children], timeout=20)


def test_it_starts_in_a_private_folder_with_a_space(home):
    modes = [path.stat().st_mode for path in home.parents if path.exists()]

    url = start_postgres(home, is_throwaway=True)

    assert query(url, "SHOW server_version_num").startswith("18")
    assert query(url, "SHOW server_encoding") == "UTF8"
    assert is_running(home)
    existed = [path for path in home.parents if path != home.parent]
    assert [path.stat().st_mode for path in existed] == modes
    assert stat_mode(home / "data") == 0o700
    assert stat_mode(Path(parse_address(url)["host"])) == 0o700


def stat_mode(path):
    return path.stat().st_mode & 0o777


def test_a_second_start_adopts_the_first_quickly(home):
    url = start_postgres(home, is_throwaway=True)
    first = postmaster_pid(home)

    started = time.perf_counter()
    again = start_postgres(home)
    elapsed_s = time.perf_counter() - started

    assert (again, postmaster_pid(home)) == (url, first)
    assert elapsed_s < 0.3


def test_it_outlives_its_starter_and_holds_none_of_its_pipes(home):
    starter = start_elsewhere(home, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    printed, complaints = starter.communicate(timeout=60)  # returns once all pipes are closed

    assert (starter.returncode, complaints) == (0, "")
    assert is_running(home)
    assert query(printed.strip(), "SELECT 1") == 1


def test_commands_that_start_at_once_share_one(home):
    starters = [start_elsewhere(home) for _ in range(4)]

    urls = {starter.communicate(timeout=90)[0] for starter in starters}

    assert len(urls) == 1
    assert [starter.returncode for starter in starters] == [0] * 4


def test_stopping_keeps_the_data(home):
    url = start_postgres(home, is_throwaway=True)
    query(url, "CREATE TABLE kept (id int)")

    was_running = stop_postgres(home)
    is_still_running = is_running(home)
    again = start_postgres(home, is_throwaway=True)

    assert (was_running, is_still_running, again) == (True, False, url)
    assert query(again, "SELECT count(*) FROM kept") == 0


def test_stopping_what_does_not_run_is_no_error(home):
    assert stop_postgres(home) is False
    assert is_running(home) is False


def test_clients_do_not_keep_it_from_stopping(home):
    url = start_postgres(home, is_throwaway=True)

    with psycopg.connect(libpq_address(url)):
        assert stop_postgres(home)

    assert not is_running(home)


def test_a_killed_server_is_started_again_with_its_data(home):
    url = start_postgres(home, is_throwaway=True)
    query(url, "CREATE TABLE kept (id int)")
    kill(postmaster_pid(home), signal.SIGKILL)

    is_still_running = is_running(home)
    again = start_postgres(home, is_throwaway=True)

    assert (is_still_running, again) == (False, url)
    assert query(again, "SELECT count(*) FROM kept") == 0


def test_another_process_with_the_old_number_is_left_alone(home):
    start_postgres(home, is_throwaway=True)
    stop_postgres(home)
    stranger = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    lines = [stranger.pid, home / "data", 1, 5432, socket_folder(home / "data"), "", "1 1", "ready"]
    (home / "data" / "postmaster.pid").write_text("\n".join(map(str, lines)) + "\n")

    url = start_postgres(home, is_throwaway=True)

    assert query(url, "SELECT 1") == 1
    assert stranger.poll() is None
    stranger.communicate(b"\n")


def test_a_server_whose_socket_was_swept_away_is_started_again(home):
    url = start_postgres(home, is_throwaway=True)
    shutil.rmtree(parse_address(url)["host"])

    again = start_postgres(home, is_throwaway=True)

    assert query(again, "SELECT 1") == 1


def test_settings_of_another_postgres_in_the_environment_do_not_matter(home, monkeypatch):
    monkeypatch.setenv("PGPORT", "1")
    monkeypatch.setenv("PGDATA", "/nowhere")
    monkeypatch.setenv("PGHOST", "/nowhere")
    monkeypatch.setenv("LC_ALL", "no_SUCH.locale")

    url = start_postgres(home, is_throwaway=True)

    assert query(url, "SELECT 1") == 1


def test_a_broken_data_folder_is_told_with_the_reason(home):
    start_postgres(home, is_throwaway=True)
    stop_postgres(home)
    (home / "data" / "postgresql.conf").write_text("port = nonsense\n")

    with pytest.raises(
        EmbeddedPostgresError, match=r'pg_ctl failed: .*parameter "port": "nonsense"'
    ):
        start_postgres(home, is_throwaway=True)


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(EmbeddedPostgresError, match=r"cannot keep Postgres in .*/file/home"):
        start_postgres(tmp_path / "file" / "home")


@pytest.mark.skipif(not IS_ROOT, reason="only root can become another user")
def test_a_user_who_is_not_root_has_a_server_of_his_own(home):
    home.parents[1].chmod(0o755)
    home.parent.mkdir(mode=0o755)
    os.chown(home.parent, 1, 1)
    needed = [CHECKOUT / "storage", Path(sys.executable).resolve()]
    if not all(path.stat().st_mode & 0o001 for each in needed for path in [each, *each.parents]):
        pytest.skip("other users cannot run the Python of this test")

    starter = start_elsewhere(home, user=1, group=1, extra_groups=[])
    printed, _ = starter.communicate(timeout=60)

    assert starter.returncode == 0
    assert psutil.Process(postmaster_pid(home)).uids().effective == 1
    assert query(printed.strip(), "SELECT 1") == 1


@pytest.mark.skipif(not IS_ROOT, reason="only root runs programs as another user")
def test_root_starts_the_data_of_another_user_as_that_user(home):
    start_postgres(home, is_throwaway=True)
    stop_postgres(home)
    for path in (home / "data", *(home / "data").rglob("*")):
        os.chown(path, 1, 1)

    url = start_postgres(home, is_throwaway=True)

    assert psutil.Process(postmaster_pid(home)).uids().effective == 1
    assert query(url, "SELECT 1") == 1


@pytest.mark.skipif(not IS_ROOT, reason="only root runs programs as another user")
def test_programs_that_others_cannot_reach_are_copied_once(tmp_path, monkeypatch):
    monkeypatch.setattr(postgres_programs, "COPIES", tmp_path / "copies")
    monkeypatch.setattr(postgres_programs, "_is_open_to_all", lambda path: False)
    account = Account(1, 1, is_other=True)

    programs = find_programs(account)
    first = (programs / "postgres").stat()
    again = find_programs(account)

    assert again == programs
    assert (programs / "postgres").stat().st_ino == first.st_ino
    done = subprocess.run([programs / "initdb", "--version"], capture_output=True, check=True)
    assert done.stdout.startswith(b"initdb (PostgreSQL) 18")
    assert stat_mode(programs) & 0o005 == 0o005
