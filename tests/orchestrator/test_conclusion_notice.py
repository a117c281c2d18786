import asyncio
import threading
from dataclasses import replace

from benchmarks.benchmark import Outcome
from orchestrator.conclusion import conclude
from orchestrator.providers.fake import FakeProvider
from orchestrator.work import work_range
from storage import runs
from tests.orchestrator.toy import Toy

LINE = "probing layer 12 of 31"


class Probing(Toy):
    """A toy that decides everything at the end, and waits there until it is let go."""

    concluded_tasks = ("pick",)

    def __init__(self):
        super().__init__()
        self.may_end = threading.Event()

    def judge(self, case, seed, responses):
        return None

    def conclude(self, task, seed, answered, *, tell=None):
        tell(LINE)
        assert self.may_end.wait(30)
        return [(case, Outcome(1.0)) for case, _ in answered]


async def reason_once_told(database, run_id):
    async with asyncio.timeout(30):
        told = None
        while told is None:
            told = (await runs.get(database, run_id)).reason
    return told


async def test_a_conclusion_says_how_far_it_is_while_it_lasts(start_toy, database):
    context = await start_toy(FakeProvider())
    probing = Probing()
    run = replace(context.run, manifest={"benchmark": {"judge_version": "1"}})
    context = replace(context, benchmark=probing, run=run)
    await work_range(context, 0, 5)

    concluding = asyncio.create_task(conclude(context))
    told = await reason_once_told(database, context.run.id)
    probing.may_end.set()
    await concluding

    ended = await runs.get(database, context.run.id)
    assert told == LINE
    assert (ended.status, ended.reason) == ("finished", None)
