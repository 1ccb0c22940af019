import pytest

from harness.style.ast_grep import AstGrep
from harness.style.checks import CommitCheck, FileCheck
from harness.style.commit_checks import CHECKS as COMMIT
from harness.style.text_checks import CHECKS as TEXT
from harness.tree import File


def lines(check: FileCheck, text: str | bytes) -> list[int]:
    return [site.line for site in check.violations(File(content=text.encode() if isinstance(text, str) else text))]


def text(check: str, /, **given: object) -> FileCheck:
    return TEXT[check].model_validate({"paths": ["**"], **given})


def commit(check: str, /, **given: object) -> CommitCheck:
    return COMMIT[check].model_validate(given)


def test_lines_are_forbidden_by_pattern_and_by_length_with_addresses_excused() -> None:
    assert lines(text("lines.forbidden", pattern=r"\t"), "a\n\tb\n") == [2]
    assert lines(text("lines.max_length", max=10), "short\nlonger than ten\nhttps://example.org/long\n") == [2]


def test_a_file_must_hold_its_header_and_end_with_one_line_end() -> None:
    header = text("file.required", pattern="SPDX-License-Identifier")
    assert (lines(header, "x\n"), lines(header, "# SPDX-License-Identifier: MIT\n"), lines(header, "")) == ([1], [], [])
    end = text("file.final_newline")
    assert [lines(end, found) for found in ("a\n", "a", "a\n\n", "", b"a\0")] == [[], [1], [3], [], []]


def test_binary_files_have_no_lines() -> None:
    assert lines(text("lines.forbidden", pattern="a"), b"a\0a\n") == []


@pytest.mark.parametrize(
    ("check", "given", "kept", "broken"),
    [
        ("subject.max_length", {"max": 10}, "Short one", "A subject that is too long"),
        ("subject.pattern", {"pattern": r"^(feat|fix): "}, "fix: a fault", "Fix a fault"),
        ("message.forbidden", {"pattern": r"(?i)\bwip\b"}, "Done", "Some work\n\nwip"),
        ("body.required", {}, "Subject\n\nWhy.", "Subject\nnot a body"),
        ("trailer.required", {"name": "Signed-off-by"}, "S\n\nSigned-off-by: A B <a@b.c>\n", "S\n\nsigned by A"),
    ],
)
def test_a_message_is_checked_by_its_parts(check: str, given: dict[str, object], kept: str, broken: str) -> None:
    assert list(commit(check, **given).sites(kept)) == []
    assert len(list(commit(check, **given).sites(broken))) == 1


@pytest.mark.parametrize("check", [name for name in COMMIT if name != "message.forbidden"])
def test_messages_that_git_words_itself_are_excused(check: str) -> None:
    given = {
        "subject.max_length": {"max": 5},
        "subject.pattern": {"pattern": "^x"},
        "trailer.required": {"name": "Signed-off-by"},
    }
    assert list(commit(check, **given.get(check, {})).sites("Merge branch 'a' into b")) == []


def test_ast_grep_finds_a_pattern_in_another_language_and_survives_what_is_broken() -> None:
    check = AstGrep(paths=("**/*.js",), language="javascript", pattern="console.log($$$ARGS)", says="logs to the console")
    source = "function f() {\n  console.log(1, 2)\n  // console.log(3)\n}\n"
    (site,) = check.violations(File(content=source.encode()))
    assert (site.line, site.symbol, site.message) == (2, "console.log(1, 2)", "logs to the console")
    assert list(check.violations(File(content=b"function ((( {\xff"))) == []


def test_an_ast_grep_rule_counts_the_places_that_it_is_about() -> None:
    rule: dict[str, object] = {"kind": "decorator", "regex": "^@dataclass", "not": {"regex": "frozen=True"}}
    places: dict[str, object] = {"kind": "decorator", "regex": "^@dataclass"}
    file = File(content=b"@dataclass\nclass A: ...\n@dataclass(frozen=True)\nclass B: ...\n@other\nclass C: ...\n")
    check = AstGrep(paths=("**",), language="python", rule=rule, places=places)
    assert [site.line for site in check.violations(file)] == [1]
    assert list(check.chances(file)) == ["@dataclass", "@dataclass(frozen=True)"]
    assert list(AstGrep(paths=("**",), language="python", rule=rule).chances(file)) == ["file"]


def test_an_ast_grep_rule_object_may_say_where() -> None:
    inside = {"pattern": "await $X", "inside": {"kind": "for_in_statement", "stopBy": "end"}}
    check = AstGrep(paths=("**/*.js",), language="javascript", rule=inside)
    source = "async function f(a) {\n  await b\n  for (const x of a) {\n    await x\n  }\n}\n"
    assert lines(check, source) == [4]
