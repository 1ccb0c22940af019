from dataclasses import replace
from difflib import SequenceMatcher

from harness.python_source import syntax_tree
from harness.suites.mutants import faults, mutants
from harness.task import Task
from harness.tree import Tree, difference


def test_mutants_differ_from_the_reference_in_one_place_that_it_added_itself(task: Task) -> None:
    found = list(mutants(task))
    assert len(found) > 4
    for tree in found:
        (change,) = difference(task.reference, tree)
        assert change.path == "src/basket/prices.py"
        before, after = (file.text.split("\n") for file in (change.old, change.new) if file)
        (place,) = (it for it in SequenceMatcher(a=before, b=after).get_opcodes() if it[0] != "equal")
        assert all(line not in task.base.by_path[change.path].text for line in before[place[1] : place[2]])


def test_lines_that_stood_in_the_base_have_no_fault(task: Task) -> None:
    old, new = "def f(a):\n    b = a == 1\n", "    return b != 2\n"
    grown = replace(task, base=Tree.of({"a.py": old}), reference=Tree.of({"a.py": old + new}))
    assert {fault.find for fault in faults(grown)} == {new}


def test_the_first_fault_of_every_line_comes_before_the_second_of_any(task: Task) -> None:
    lines = [fault.find for fault in faults(task)]
    assert len(set(lines)) < len(lines)
    assert len(set(lines[: len(set(lines))])) == len(set(lines))


def test_comments_strings_and_files_that_are_no_python_have_no_fault(task: Task) -> None:
    text = '"""a <= b"""\n# a <= b\nX = "a <= b"\n'
    quiet = Tree.of({"src/basket/prices.py": text, "notes.md": "a <= b\n", "tests/test_x.py": "X = 1 <= 2\n"})
    assert list(mutants(replace(task, base=Tree(), reference=quiet))) == []


def test_a_file_of_another_coding_or_of_broken_syntax_has_no_mutant(task: Task) -> None:
    files = Tree.of({"a.py": b"# coding: latin-1\nX = '\xe9' == 'e'\n", "b.py": "X = (1 <= 2\n", "c.py": b"X = 1 <= 2\rY = 1\n"})
    assert list(mutants(replace(task, base=Tree(), reference=files))) == []


def test_a_fault_behind_a_form_feed_or_after_windows_line_ends_stands_at_its_own_line(task: Task) -> None:
    text = "A = 1\r\n\x0c\r\ndef f(x):\r\n    return x <= 2\r\n"
    base = Tree.of({"a.py": text.replace(" <= 2", "")})
    found = list(mutants(replace(task, base=base, reference=Tree.of({"a.py": text}))))
    assert text.replace("<=", "<") in [tree.by_path["a.py"].text for tree in found]
    assert all(syntax_tree(tree.by_path["a.py"].content) for tree in found)
