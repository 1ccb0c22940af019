"""Calls per second and CPU per call of the rehearsal service and the SDK together: the price of a keyless run.

python benchmarks/rehearsal.py task_suites/pocket [CALLS] [THREADS]
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from harness.agents import editor, shell
from harness.agents.conversation import Conversation
from harness.delivery import deliver
from harness.models.anthropic_api import AnthropicModel
from harness.models.prices import FREE
from harness.models.rehearsal import Rehearsal
from harness.ports import ModelRequest
from harness.skill import Variant
from harness.skill_io import read_skill
from harness.suites.catalog import load_suite


def main(folder: Path, calls: int, threads: int) -> None:
    """Send first turns of a coder, as the tool loop does, and print what they cost."""
    suite = load_suite(folder)
    delivered = deliver(Variant(skill=read_skill(Path("skills/coding"))), "system")
    with tempfile.TemporaryDirectory() as scratch:
        service = Rehearsal.start(suite=folder, table=Path(scratch) / "table", seed=1)
        model = AnthropicModel(api_key="rehearsal", base_url=service.base_url, announce=service.announce, prices=FREE)

        def send(number: int) -> None:
            task = suite.tasks[number % len(suite.tasks)]
            conversation = Conversation(delivered, task.instruction)
            model.send(
                ModelRequest(
                    role="coder",
                    subject=f"benchmark/{number}",
                    task=task.id,
                    model="rehearsal",
                    system=conversation.system,
                    messages=conversation.to_send,
                    max_tokens=16_000,
                    tools=(shell.TOOL, editor.TOOL),
                )
            )

        send(0)
        started, cpu = time.perf_counter(), time.process_time()
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(send, range(calls)))
        seconds, client = time.perf_counter() - started, time.process_time() - cpu
        service.stop()
    server = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{calls} calls, {threads} threads: {calls / seconds:.0f} calls/s")
    print(f"CPU per call: client {1000 * client / calls:.1f} ms")
    print(f"service, its start included: {server.ru_utime + server.ru_stime:.2f} s in all")


if __name__ == "__main__":
    given = sys.argv[1:]
    main(Path(given[0]), int(given[1]) if len(given) > 1 else 400, int(given[2]) if len(given) > 2 else 2)  # noqa: PLR2004
