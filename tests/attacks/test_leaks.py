"""Looking for the answer where it does not stand: history, disk, network, the harness itself, and the skill."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.leak import leaks
from harness.suites.catalog import load_task
from harness.tree import Tree

if TYPE_CHECKING:
    from harness.task import Task
    from tests.attacks.conftest import Attack

docker = pytest.mark.docker


@docker
def test_17_the_history_holds_one_commit_and_nothing_to_find_the_fix_in(attack: Attack, task: Task) -> None:
    listing, refs, words = attack(
        "git cat-file --batch-all-objects --batch-check='%(objecttype)' | sort | uniq -c | awk '{print $2, $1}'",
        "git for-each-ref --format='%(refname)'; git reflog; git stash list; cat .git/objects/info/alternates 2>/dev/null;"
        "git fsck --unreachable --no-reflogs --full 2>/dev/null",
        "git log -S_whole_seconds --all --oneline; git grep -c _whole_seconds $(git rev-list --all)",
    ).outputs
    kinds = dict(line.split() for line in listing.decode().splitlines())
    blobs = {file.content for _, file in task.base}
    folders = {path.rpartition("/")[0] for path, _ in task.base} | {"src"}
    assert (kinds["commit"], int(kinds["blob"]), int(kinds["tree"]) <= len(folders), len(kinds)) == ("1", len(blobs), True, 3)
    assert refs == b"refs/heads/main\n"
    assert words == b""


@docker
def test_18_no_second_copy_of_the_package_is_on_disk_and_nothing_is_reached_outside(attack: Attack) -> None:
    found, other, network = attack(
        "cd / && python -c 'import throttle'",
        "find / -path /proc -prune -o -path /sys -prune -o -path /work -prune -o -name '*throttle*' -print 2>/dev/null",
        "python -c 'import socket; socket.create_connection((\"1.1.1.1\", 443), 2)'; git ls-remote https://x.invalid",
    ).outputs
    assert b"No module named 'throttle'" in found
    assert other == b""
    assert b"Network is unreachable" in network


@docker
def test_21_no_socket_mount_capability_or_privilege_is_there(attack: Attack) -> None:
    sockets, mounts, rights = attack(
        "ls /var/run/docker.sock /run/docker.sock /run/containerd 2>/dev/null; find / -xdev -type s 2>/dev/null",
        "mount -t tmpfs x /mnt 2>&1; unshare -r true 2>&1",
        "grep -E 'CapEff|NoNewPrivs' /proc/self/status; id -u; touch /opt/env/x 2>&1; ls /dev/sda /dev/mem 2>/dev/null",
    ).outputs
    assert sockets == b""
    assert b"not permitted" in mounts
    assert rights.startswith(b"CapEff:\t0000000000000000\nNoNewPrivs:\t1\n1000\n")
    assert b"Read-only file system" in rights


@docker
def test_22_no_secret_is_in_the_environment_and_nothing_listens(attack: Attack) -> None:
    names, listening = attack(
        "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | cut -d= -f1 | sort -u | xargs echo",
        "cat /proc/net/tcp /proc/net/udp",
    ).outputs
    expected = {"HOME", "HOSTNAME", "LANG", "OLDPWD", "PATH", "PWD", "PYTHONDONTWRITEBYTECODE", "SHLVL", "_"}
    assert set(names.decode().split()) <= expected
    assert len(listening.splitlines()) == 2  # the headings


@docker
def test_22_the_variants_files_are_hidden_from_git_and_never_part_of_the_change(attack: Attack) -> None:
    found = attack("git status --short; echo more >> AGENTS.md", inject=Tree.of({"AGENTS.md": "Be brief.\n"}))
    assert (found.outputs, found.change.empty) == ((b"",), True)


def test_23_what_is_told_of_failed_tests_is_a_count(task: Task) -> None:
    from harness.evidence import TestReport, TestResult  # noqa: PLC0415
    from harness.gates import judge_tests  # noqa: PLC0415

    results = tuple(TestResult(id=name, outcome="failed", message="assert '1' == 'the expected'") for name in task.expected)
    report = TestReport(expected=task.expected, tests=results, canaries=0, canaries_failed=0, exit_code=1)
    assert "the expected" not in judge_tests(report).reason


def test_25_a_skill_that_carries_answers_is_refused_before_any_trial(task: Task) -> None:
    answer = "Round up with max(1, math.ceil(wait - _NOISE)) and return str(_whole_seconds(decision.retry_after))."
    assert {leak.task for leak in leaks(answer, [task])} == {task.id}
    assert leaks("Read the failing test first. Keep the change small.", [task]) == ()


def test_25_a_skill_that_names_a_task_or_a_hidden_test_is_refused() -> None:
    task = load_task(Path(__file__).parents[2] / "task_suites/pocket/tasks/throttle-retry-after-rounding")
    for text in ("In throttle-retry-after-rounding, be careful.", "Look out for test_retry_after_rounding.py."):
        assert [leak.task for leak in leaks(text, [task])] == [task.id]
