"""Laws of the comparison: what is new is the multiset difference of the keys, and nothing is lost or made up."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from harness.evidence import Finding
from harness.style.compare import compared, key, renamed

FINDINGS = st.lists(
    st.builds(
        lambda path, symbol, line: Finding(rule="R", path=path, line=line, message="m", key=key(path, "R", symbol)),
        st.sampled_from(["a.py", "b.py"]),
        st.sampled_from(["f", "g"]),
        st.integers(1, 9),
    ),
    max_size=12,
)


def keys(findings: tuple[Finding, ...] | list[Finding]) -> Counter[str]:
    return Counter(finding.key for finding in findings)


@given(FINDINGS, FINDINGS)
def test_new_and_old_together_are_all_that_was_found_and_new_is_the_difference(
    before: list[Finding], after: list[Finding]
) -> None:
    new, existing = compared(before, after)
    assert Counter((*new, *existing)) == Counter(after)
    assert keys(new) == keys(after) - keys(before)


@given(FINDINGS, st.data())
def test_a_tree_compared_with_itself_has_nothing_new_in_any_order(findings: list[Finding], data: st.DataObject) -> None:
    assert compared(findings, data.draw(st.permutations(findings)))[0] == ()


@given(FINDINGS)
def test_findings_of_a_file_that_moved_as_a_whole_are_all_old(findings: list[Finding]) -> None:
    moved = renamed(findings, {"a.py": "z.py"})
    assert {finding.path for finding in moved} <= {"b.py", "z.py"}
    assert compared(moved, renamed(findings, {"a.py": "z.py"}))[0] == ()
    assert all(finding.key.startswith(f"{finding.path}::") for finding in moved)
