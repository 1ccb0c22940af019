import pytest

from harness.errors import SuiteError
from harness.style.checks import SourceCheck
from harness.style.packs import Gate, check_quotes, load_pack
from harness.tree import Tree

QUOTE = "Every public function has a docstring."
PROVENANCE = f'provenance = {{ file = "CONTRIBUTING.md", line = 2, quote = "{QUOTE}" }}'


def rule(  # noqa: PLR0913  (each test says only what it changes)
    *,
    name: str = "docs",
    kind: str = "python_ast",
    check: str = 'check = "docstring.public"',
    extra: str = "",
    calibration: str = 'calibration = { label = "declared" }',
    provenance: str = PROVENANCE,
) -> str:
    return f'[[rule]]\nid = "{name}"\nkind = "{kind}"\n{check}\n{extra}\n{calibration}\n{provenance}\n'


def gates(text: str) -> list[Gate]:
    return [item.gate for item in load_pack(f"spec = 1\n{text}", "p").rules]


def message(text: str, head: str = "spec = 1\n") -> str:
    with pytest.raises(SuiteError) as caught:
        load_pack(head + text, "packs/p.toml")
    return str(caught.value)


def test_a_rule_carries_its_quote_and_its_check_with_parameters() -> None:
    (found,) = load_pack("spec = 1\n" + rule(extra='params = { paths = ["src/**"] }'), "p").rules
    assert (found.quote, found.file, found.line, found.gate) == (QUOTE, "CONTRIBUTING.md", 2, Gate.HARD)
    assert isinstance(found.check, SourceCheck)
    assert found.check.paths == ("src/**",)


def test_paths_may_stand_in_applies_but_not_twice() -> None:
    (found,) = load_pack("spec = 1\n" + rule(extra='applies = { paths = ["src/**"] }'), "p").rules
    assert isinstance(found.check, SourceCheck)
    assert found.check.paths == ("src/**",)
    assert "keep one" in message(rule(extra='applies = { paths = ["a"] }\nparams = { paths = ["b"] }'))


def test_only_proven_or_declared_rules_gate_unless_the_pack_says_otherwise() -> None:
    for label, gate in {"declared": Gate.HARD, "enforced": Gate.HARD, "customary": Gate.REPORT, "free": Gate.REPORT}.items():
        assert gates(rule(calibration=f'calibration = {{ label = "{label}" }}')) == [gate]
    assert gates(rule(extra='gate = "off"')) == [Gate.OFF]


def test_judge_rules_go_to_reviewers_and_never_gate() -> None:
    pack = load_pack("spec = 1\n" + rule() + rule(name="taste", kind="judge", check=""), "p")
    assert [item.id for item in pack.judged] == ["taste"]
    assert [item.id for item in pack.checked] == ["docs"]
    assert "never gates" in message(rule(kind="judge", check="", extra='gate = "hard"'))


def test_commit_rules_are_measured_apart_from_the_change() -> None:
    text = rule(kind="commit", check='check = "subject.max_length"', extra="params = { max = 72 }")
    pack = load_pack(f"spec = 1\n{text}", "p")
    assert [item.id for item in pack.messages] == ["docs"]
    assert pack.checked == ()


def test_command_rules_are_run_by_a_plain_program_name_and_measured_apart() -> None:
    lines = 'params = { argv = ["mypy", "."], parser = "lines" }'
    pack = load_pack("spec = 1\n" + rule(kind="command", check="", extra=lines), "p")
    assert ([item.id for item in pack.commands], pack.checked) == (["docs"], ())
    assert "plain name" in message(rule(kind="command", check="", extra=lines.replace('"mypy"', '"./mypy"')))
    assert "leave check out" in message(rule(kind="command", extra=lines))
    assert "parser" in message(rule(kind="command", check="", extra=lines.replace('"lines"', '"guess"')))


def test_an_ast_grep_rule_that_the_library_does_not_take_is_refused_when_the_pack_is_read() -> None:
    fine = 'params = { language = "javascript", paths = ["**/*.js"], pattern = "console.log($$$A)" }'
    assert gates(rule(kind="ast_grep", check="", extra=fine)) == [Gate.HARD]
    assert "either pattern or rule" in message(rule(kind="ast_grep", check="", extra=fine.replace("console.log($$$A)", "")))
    broken = 'params = { language = "javascript", paths = ["**"], rule = { kind = "no_such" } }'
    assert "Kind `no_such` is invalid" in message(rule(kind="ast_grep", check="", extra=broken))
    assert "language" in message(rule(kind="ast_grep", check="", extra=fine.replace('"javascript"', '"klingon"')))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (rule(extra="nonsense = 1"), "nonsense"),
        (rule(extra="params = { maximum = 3 }"), "maximum"),
        (rule(check='check = "docstring.pubic"'), "there are docstring.public"),
        (rule(kind="magic"), "kind"),
        (rule(provenance=""), "provenance"),
        (rule(calibration=""), "calibration"),
        (rule() + rule(), "twice: docs"),
        (rule(check='check = "tests.naming"', extra='params = { pattern = "(" }'), "pattern"),
        (rule(kind="diff", check='check = "companion"', extra="params = { when = [], changed = ['x'] }"), "when"),
        (rule(provenance='provenance = { file = "C", line = 0, quote = "long enough" }'), "line"),
        (rule(provenance='provenance = { file = "C", line = 1, quote = "   " }'), "quote"),
        ("[[rule", "not a rule pack"),
        ("", "rule"),
    ],
)
def test_an_invalid_pack_is_refused_with_file_and_place(text: str, said: str) -> None:
    found = message(text)
    assert found.startswith("packs/p.toml: ")
    assert said in found


def test_an_unknown_format_version_is_refused() -> None:
    assert "spec" in message(rule(), head="spec = 2\n")


def test_a_quote_must_stand_at_its_line() -> None:
    pack = load_pack("spec = 1\n" + rule(), "p")
    check_quotes(pack, Tree.of({"CONTRIBUTING.md": f"# Rules\n- {QUOTE}\n"}), "p")
    for text in (f"- {QUOTE}\n", "# Rules\nEvery function is fine.\n", "# Rules"):
        with pytest.raises(SuiteError, match="does not hold its quote"):
            check_quotes(pack, Tree.of({"CONTRIBUTING.md": text}), "p")
    with pytest.raises(SuiteError, match="does not hold its quote"):
        check_quotes(pack, Tree.of({}), "p")
