"""Bundles: runs come back as they left, and what was changed on the way is refused."""

import hashlib
import io
import json
import tarfile

import pytest

from benchmarks.benchmark import Item, Outcome
from metrics.catalog import scores_of
from orchestrator.planning import fingerprint_items
from services.bundle_files import CHECKSUMS, BundleError, read_bundle, write_bundle
from services.bundles import export_runs, import_runs
from storage import failures, items, outcomes, runs, scores
from storage.records import Failure, NewRun, StoredOutcome

RUN = "01RVN000000000000000000001"
ODD = "\x00 \ud800 Straße"
ITEMS = [
    Item(str(n), "amh", None, f"p{n}", {"first": ODD, "second": "b", "gold": n / 9})
    for n in range(10)
]


@pytest.fixture
async def run(database):
    """Store a finished run of ten pairs of which one could not be asked."""
    item_set, n_items = fingerprint_items(ITEMS)
    await items.put(database, item_set, ITEMS)
    manifest = {"benchmark": {"judge_version": "1", "metric_version": "1"}}
    stored = await runs.create(
        database,
        NewRun(
            id=RUN, benchmark="semrel", model="fake",
            spec={"benchmark": "semrel", "model": "fake"}, manifest=manifest, item_set=item_set,
            n_items=n_items, cells=(("relatedness", ""),), settings={}, seed=0,
        ),
    )  # fmt: skip
    rows = [
        StoredOutcome(
            n, "relatedness", "", "amh", None, f"p{n}",
            Outcome((n * 7 % 10) / 10, detail={"gold": n / 9}, baselines={"overlap": 0.1 * n}),
        )
        for n in range(9)
    ]  # fmt: skip
    await outcomes.put(database, RUN, rows)
    failed = Failure(9, "relatedness", "", "TooSlowError", ODD, "semrel/relatedness/amh/9", 2)
    await failures.put(database, RUN, [failed])
    found = scores_of("semrel", await outcomes.rows(database, RUN), {}, 0)
    await scores.replace(
        database, RUN, "judge-1", [s.model_copy(update={"model": "fake"}) for s in found]
    )
    await runs.set_status(database, RUN, "finished", allowed_from=["queued"])
    await runs.set_note(database, RUN, "a note", ["mine"])
    return await runs.get(database, stored.id)


@pytest.fixture
async def bundle(database, run, tmp_path):
    """Export the run and delete it here, as if this were elsewhere."""
    path = tmp_path / "run.tar"
    await export_runs(database, [run], path)
    await runs.delete(database, RUN)
    return path


def rewritten(path, change):
    """Write the bundle anew with checksums that fit, after a change to its files."""
    with tarfile.open(path) as archive:
        files = {m.name: archive.extractfile(m).read() for m in archive if m.name != CHECKSUMS}
    change(files)
    write_bundle(path, files)
    return path


def with_member(path, member, content=b""):
    member.size = len(content)
    with tarfile.open(path, "a") as archive:
        archive.addfile(member, io.BytesIO(content))
    return path


async def test_a_run_comes_back_as_it_left_and_is_marked(database, run, tmp_path):
    path = tmp_path / "run.tar"
    before = (
        await outcomes.rows(database, RUN), await scores.read(database, RUN),
        await failures.list_failures(database, RUN),
    )  # fmt: skip
    await export_runs(database, [run], path)
    await runs.delete(database, RUN)

    [imported] = await import_runs(database, path)

    back = await runs.get(database, RUN)
    assert (imported.run_id, imported.is_verified) == (RUN, True)
    assert before == (
        await outcomes.rows(database, RUN), await scores.read(database, RUN),
        await failures.list_failures(database, RUN),
    )  # fmt: skip
    assert (back.status, back.note, back.tags) == ("finished", "a note", ("mine", "imported"))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert back.manifest["imported"]["sha256"] == digest
    assert back.manifest["imported"]["created_at"] == run.created_at.isoformat()


async def test_the_same_run_gives_the_same_bytes(database, run, tmp_path):
    for name in ("a.tar", "b.tar"):
        await export_runs(database, [run], tmp_path / name)

    assert (tmp_path / "a.tar").read_bytes() == (tmp_path / "b.tar").read_bytes()


async def test_a_run_that_stands_here_is_not_taken_in_again(database, run, tmp_path):
    await export_runs(database, [run], tmp_path / "run.tar")

    with pytest.raises(BundleError, match=f"run {RUN} stands here already"):
        await import_runs(database, tmp_path / "run.tar")


async def test_a_changed_byte_is_refused_with_the_name_of_the_file(database, bundle):
    bundle.write_bytes(bundle.read_bytes().replace(b'"value": 0.7', b'"value": 0.9'))

    with pytest.raises(BundleError, match=rf"run\.tar: runs/{RUN}/outcomes\.jsonl is not what"):
        await import_runs(database, bundle)


async def test_scores_that_the_outcomes_do_not_give_are_refused(database, bundle):
    def praise(files):
        name = f"runs/{RUN}/scores.json"
        told = json.loads(files[name])
        told[0]["value"] = 0.99
        files[name] = json.dumps(told).encode()

    with pytest.raises(BundleError, match=r"scores\.json: spearman .* is 0\.99, the outcomes give"):
        await import_runs(database, rewritten(bundle, praise))


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("items.jsonl", b'"second": "b"', b'"second": "c"', "the items are not those of the run"),
        ("outcomes.jsonl", b'"number": 8', b'"number": 7', "line 9: .* twice"),
        ("outcomes.jsonl", b'"number": 8', b'"number": 80', "line 9: .* is no case of it"),
        ("outcomes.jsonl", b'"value": 0.7', b'"value": NaN', "line 2: value"),
        ("outcomes.jsonl", b'{"baselines"', b'{"more": 1, "baselines"', "line 1: more"),
        ("outcomes.jsonl", b'{"baselines"', b'"baselines"', "is not JSON"),
        ("run.json", b'"judge_version": "1"', b'"other": "1"', "does not name the judge's version"),
        ("run.json", RUN.encode(), RUN[:-1].encode() + b"2", "it calls itself"),
        ("scores.json", b"[", b"", "is not JSON"),
    ],
)
async def test_what_does_not_fit_together_is_refused(database, bundle, name, old, new, message):
    def change(files):
        path = f"runs/{RUN}/{name}"
        files[path] = files[path].replace(old, new, -1 if name == "items.jsonl" else 1)

    with pytest.raises(BundleError, match=message):
        await import_runs(database, rewritten(bundle, change))
    assert await runs.list_runs(database) == []


@pytest.mark.parametrize("name", ["../evil", "/etc/passwd", "runs/x/../../y", f"runs/{RUN}/x.py"])
def test_a_path_that_no_bundle_has_is_refused(tmp_path, name):
    path = tmp_path / "run.tar"
    write_bundle(path, {"bundle.json": b"{}"})

    with pytest.raises(BundleError, match="a bundle has no file"):
        read_bundle(with_member(path, tarfile.TarInfo(name)))


def test_links_and_doubles_are_refused(tmp_path):
    path = tmp_path / "run.tar"
    write_bundle(path, {"bundle.json": b"{}"})
    link = tarfile.TarInfo(f"runs/{RUN}/run.json")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"

    with pytest.raises(BundleError, match="link, a device or sparse"):
        read_bundle(with_member(path, link))
    write_bundle(path, {"bundle.json": b"{}"})
    with pytest.raises(BundleError, match="stands there twice"):
        read_bundle(with_member(path, tarfile.TarInfo("bundle.json")))


def test_a_member_larger_than_allowed_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "run.tar"
    head = tarfile.TarInfo("bundle.json")
    head.size = 5 << 30
    path.write_bytes(head.tobuf(tarfile.PAX_FORMAT))

    with pytest.raises(BundleError, match="limit"):
        read_bundle(path)


def test_no_bundle_is_told_in_one_sentence(tmp_path):
    text = tmp_path / "run.tar"
    text.write_text("no tar")

    with pytest.raises(BundleError, match="no readable tar archive"):
        read_bundle(text)
    with pytest.raises(BundleError, match="no bundle at"):
        read_bundle(tmp_path / "missing.tar")
