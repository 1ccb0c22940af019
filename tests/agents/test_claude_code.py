"""The real Claude Code in a real container, through the relay, before the rehearsal service.

`make soak` installs the program; without it these tests are skipped, which pytest says.
"""

from __future__ import annotations

import json
import os
import re
import threading
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import httpx2
import pytest

from harness.agent_facts import CLAUDE_CODE, facts_of, shipped_facts
from harness.agents.claude_cli import INSIDE, find_cli
from harness.agents.claude_code import ClaudeCode
from harness.delivery import deliver
from harness.errors import ConfigError
from harness.models.prices import list_prices
from harness.models.rehearsal import Rehearsal
from harness.models.rehearsal.settings import Faults
from harness.models.rehearsal.settings import Settings as Rehearsed
from harness.models.relay.server import Relay, Upstream
from harness.ports import Assignment, Limits, Mounted
from harness.rollout import Ending
from harness.sandbox.docker_sandbox import DockerSandbox, Settings
from harness.skill import Skill, Variant
from harness.task import Suite
from harness.tree import Tree
from harness.trial import Arm, Stage, TrialKey
from harness.wiring.session import LAUNCHER

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness.agents.claude_cli import Cli
    from harness.ports import AgentReport
    from harness.task import Task

pytestmark = [pytest.mark.docker, pytest.mark.soak]
KEY = "sk-ant-a-key-that-must-not-be-found"
MODEL = "claude-sonnet-5-5"


@pytest.fixture(scope="module")
def cli() -> Cli:
    try:
        return find_cli("")
    except ConfigError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def sandbox(task: Task, cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DockerSandbox]:
    suite = Suite(id="basket", version="1", tasks=(task,), packs=(), tools=(("pytest", "9.2.0"), ("ruff", "0.17.6")))
    settings = Settings(mounts=(Mounted(source=str(cli.path), target=INSIDE),))
    state = tmp_path_factory.mktemp("state")
    with DockerSandbox(suite=suite, run_id=f"claude-{os.getpid()}", state=state, jobs=1, settings=settings) as made:
        made.prepare()
        yield made


class _Counting(BaseHTTPRequestHandler):
    """Passes everything to the rehearsal and adds up, with a rule of its own, the usage that went back."""

    server: _Counter

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        names = ("authorization", "x-stainless-retry-count", "content-type")
        headers = {name: self.headers[name] for name in names if self.headers[name]}
        answer = httpx2.post(self.server.upstream + self.path, content=body, headers=headers, timeout=30)
        self.server.keys.add(self.headers["authorization"])
        if answer.status_code == 200:
            self.server.count(answer.text)
        self.send_response(answer.status_code)
        for name in ("content-type", "request-id", "retry-after-ms"):
            if name in answer.headers:
                self.send_header(name, answer.headers[name])
        self.send_header("content-length", str(len(answer.content)))
        self.end_headers()
        self.wfile.write(answer.content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


class _Counter(ThreadingHTTPServer):
    def __init__(self, upstream: str) -> None:
        super().__init__(("127.0.0.1", 0), _Counting)
        self.upstream, self.keys, self.usd, self.calls = upstream, set[str](), 0.0, 0

    def count(self, text: str) -> None:
        """The last figure of each kind, in dollars per million at this model's list prices."""
        prices = {
            "input_tokens": 2.0,
            "cache_read_input_tokens": 0.1,
            "ephemeral_5m_input_tokens": 2.5,
            "ephemeral_1h_input_tokens": 4.0,
            "output_tokens": 10.0,
        }
        for name, price in prices.items():
            found = re.findall(rf'"{name}": (\d+)', text)
            self.usd += int(found[-1]) * price / 1e6 if found else 0.0
        self.calls += '"message_start"' in text


@dataclass(frozen=True, kw_only=True)
class World:
    """A rehearsal with its faults, the counter before it, and a relay to both."""

    sandbox: DockerSandbox
    relay: Relay
    counter: _Counter
    cli: Cli

    def ran(self, task: Task, mode: str = "skill", *, front: str = "", limits: Limits | None = None) -> AgentReport:
        """One rollout: delivery mode, further lines of the front matter, limits."""
        entry = f"---\nname: coding\ndescription: How work is done here.\n{front}---\n\n# Coding\n\nLook first.\n"
        skill = Skill(name="coding", description="How work is done here.", entry="SKILL.md", tree=Tree.of({"SKILL.md": entry}))
        variant = Variant(skill=skill)
        key = TrialKey(stage=Stage.ADHOC, confirmation="", arm=Arm.VARIANT, variant=variant.id, task=task.id, repeat=1)
        delivered = deliver(variant, mode)
        work = Assignment(key=key, task=task, variant=variant, delivered=delivered, limits=limits or Limits())
        agent = ClaudeCode(LAUNCHER, MODEL, self.cli.version)
        with self.relay.open(work) as line, self.sandbox.open(task, delivered.inject, key, line.mounts) as box:
            return agent.run(box.workspace, replace(work, line=line))


@pytest.fixture
def world(
    request: pytest.FixtureRequest, suite_folder: Path, sandbox: DockerSandbox, cli: Cli, tmp_path: Path
) -> Iterator[World]:
    faults = (Faults.model_validate(request.param),) if hasattr(request, "param") else ()
    with Rehearsal.start(
        suite=suite_folder, table=tmp_path / "tags", seed=7, settings=Rehearsed(faults=faults, key=KEY)
    ) as service:
        counter = _Counter(service.base_url)
        thread = threading.Thread(target=counter.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        where = f"http://127.0.0.1:{counter.server_address[1]}"
        upstream = Upstream(api_key=KEY, base_url=where, models=frozenset({MODEL}))
        relay = Relay(upstream, service.announce, list_prices().cost)
        yield World(sandbox=sandbox, relay=relay, counter=counter, cli=cli)
        relay.close()
        counter.shutdown()
        counter.server_close()
        thread.join()


@pytest.mark.parametrize("mode", ["skill", "claude_md", "agents_md", "system"])
def test_it_works_reads_the_variant_and_its_cost_is_the_services_own_to_six_decimals(world: World, task: Task, mode: str) -> None:
    report = world.ran(task, mode)
    assert (report.ending, report.cause, report.load.loaded) == (Ending.FINISHED, "", True)
    costs = [call.cost_usd for call in report.calls]
    assert None not in costs
    assert world.counter.usd > 0.001
    assert sum(cost or 0.0 for cost in costs) == pytest.approx(world.counter.usd, abs=5e-7)
    assert len(report.calls) == world.counter.calls
    lines = [json.loads(line) for line in report.transcript.splitlines()]
    assert lines[0] == {"type": "agent", "name": "claude_code", "version": world.cli.version}
    assert [line["type"] for line in lines].count("assistant") == len(report.calls)


def test_a_skill_that_the_program_does_not_offer_to_the_model_is_not_loaded(world: World, task: Task) -> None:
    report = world.ran(task, front="disable-model-invocation: true\n")
    assert (report.ending, report.load.loaded) == (Ending.FINISHED, False)
    assert report.load.how == "never seen in what the agent was sent; the agent did not list it"


def test_a_skill_that_the_program_lists_by_another_description_is_not_loaded_though_it_was_read(world: World, task: Task) -> None:
    report = world.ran(task, front="It goes on here.\n")  # at column 0: the program shows the body's title instead
    assert (report.ending, report.load.loaded) == (Ending.FINISHED, False)
    assert report.load.how == "the agent lists 'coding: Coding', not 'coding: How work is done here.'"


@pytest.mark.parametrize("path", facts_of(CLAUDE_CODE, "", shipped_facts()).hides_agents_md)
def test_beside_a_file_that_is_said_to_hide_agents_md_it_is_not_read(world: World, task: Task, path: str) -> None:
    beside = replace(task, base=task.base.overlaid(Tree.of({path: "Write good code.\n"})))
    report = world.ran(beside, "agents_md")
    assert (report.ending, report.load.loaded) == (Ending.FINISHED, False)


@pytest.mark.parametrize(
    ("world", "ending"),
    [
        ({"rate_limited": 1.0}, Ending.MISSING_API),
        ({"overloaded": 1.0}, Ending.MISSING_API),
        ({"overloaded_in_stream": 1.0}, Ending.FINISHED),  # the program asks again without a stream, which works
        ({"overloaded_mid_stream": 1.0}, Ending.FINISHED),
        ({"refused": 1.0}, Ending.AGENT_CRASH),
        ({"cut_off": 1.0}, Ending.AGENT_CRASH),
        ({"overloaded": 1.0, "attempts": 1}, Ending.FINISHED),
        ({"rate_limited": 1.0, "attempts": 1}, Ending.FINISHED),
    ],
    indirect=["world"],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_each_fault_of_the_service_has_its_own_ending(world: World, task: Task, ending: Ending) -> None:
    report = world.ran(task, limits=Limits(seconds=60, idle_seconds=30))
    assert report.ending is ending, report.cause
    assert sum(call.cost_usd or 0.0 for call in report.calls) == pytest.approx(world.counter.usd, abs=5e-7)


def test_a_limit_on_calls_ends_it_and_no_further_call_reaches_the_service(world: World, task: Task) -> None:
    report = world.ran(task, limits=Limits(calls=1))
    assert (report.ending, len(report.calls), world.counter.calls) == (Ending.AGENT_BUDGET, 1, 1)


# Everything that could hold a key: environments and command lines of all processes, and every file.
SEARCH = """
{program} -p 'Do it.' --output-format stream-json --verbose --model {model} >/tmp/said 2>&1 &
sleep 1.5
cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline > /tmp/seen 2>/dev/null
wait
grep -rls -e '{key}' --exclude-dir=proc --exclude-dir=sys / ; grep -c '{key}' /tmp/seen; grep -c '"type":"result"' /tmp/said
tr '\\0' '\\n' < /tmp/seen | grep -c 'claude'
"""


def test_the_key_is_nowhere_in_the_container_while_the_program_works(world: World, task: Task) -> None:
    variant = Variant(skill=Skill(name="x", description="", entry="AGENTS.md", tree=Tree.of({"AGENTS.md": "Look."})))
    key = TrialKey(stage=Stage.ADHOC, confirmation="", arm=Arm.VARIANT, variant=variant.id, task=task.id, repeat=1)
    work = Assignment(key=key, task=task, variant=variant, delivered=deliver(variant, "system"), limits=Limits())
    # The search's own text would be found: the key is put together inside.
    halves = f"{KEY[:12]}'\"\"'{KEY[12:]}"
    script = SEARCH.format(program=INSIDE, model=MODEL, key=halves)
    with world.relay.open(work) as line, world.sandbox.open(task, Tree.of({}), key, line.mounts) as box:
        found = box.workspace.run((*LAUNCHER, "bash", "-c", script), seconds=120)
    *files, seen, results, programs = found.output.decode().split()
    assert world.counter.keys == {f"Bearer {KEY}"}
    assert (files, seen, results) == ([], "0", "1")
    assert int(programs) > 0
