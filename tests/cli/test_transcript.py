import json

from harness.cli.transcript import rendered

LINES = [
    {"type": "agent", "name": "claude_code", "version": "2.1"},
    {"type": "system", "text": "Be good."},
    {"type": "user", "content": "Do it."},
    {
        "type": "assistant",
        "content": [{"type": "text", "text": "I look."}, {"type": "tool_use", "name": "Bash", "input": {"command": "ls"}}],
        "stop_reason": "tool_use",
        "output_tokens": 5,
    },
    {"type": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": "a.py"}], "is_error": True}]},
    {"type": "refused", "why": "no way to /v1/files"},
    {"type": "output", "text": "y" * 5000},
    {"type": "end", "ending": "agent crash", "cause": "exit code 1"},
]


def test_what_was_said_may_hold_other_separators_of_lines() -> None:
    line = json.dumps({"type": "user", "content": "one\u2028two\x85three"}, ensure_ascii=False)
    assert next(iter(rendered(f"{line}\n"))) == "[1] user"


def test_a_transcript_reads_as_a_conversation_with_calls_results_refusals_and_its_end() -> None:
    text = list(rendered("".join(json.dumps(line) + "\n" for line in LINES)))
    assert text[:10] == [
        "[1] agent, name claude_code, version 2.1",
        "[2] system",
        "    Be good.",
        "[3] user",
        "    Do it.",
        "[4] assistant, stop_reason tool_use, output_tokens 5",
        "    I look.",
        '    -> Bash {"command": "ls"}',
        "[5] user",
        "    <- (error)",
    ]
    assert "[6] refused, why no way to /v1/files" in text
    assert "    [... 3000 characters ...]" in text
    assert text[-1] == "[8] end, ending agent crash, cause exit code 1"
