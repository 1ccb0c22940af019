from pathlib import Path

from harness.publish import publish
from harness.skill import Variant
from harness.skill_io import make_skill, read_skill
from harness.tree import Tree


def variant(generation: int) -> Variant:
    text = f"---\nname: coding\ndescription: How to code.\n---\nEdition {generation}.\n"
    return Variant(skill=make_skill(Tree.of({"SKILL.md": text, "notes/a.md": "x"}), "coding", "test"), generation=generation)


def test_best_is_the_skill_published_last_and_earlier_ones_stay(tmp_path: Path) -> None:
    for generation in (0, 3):
        publish(tmp_path, variant(generation))
    assert read_skill(tmp_path / "best/coding") == variant(3).skill
    assert read_skill(tmp_path / "snapshots/gen0/coding") == variant(0).skill
    assert sorted(path.name for path in tmp_path.iterdir()) == ["best", "snapshots"]


def test_publishing_again_changes_nothing(tmp_path: Path) -> None:
    for _ in range(2):
        publish(tmp_path, variant(1))
    assert read_skill(tmp_path / "best/coding") == variant(1).skill
    assert sorted(path.name for path in tmp_path.iterdir()) == ["best", "snapshots"]


def test_a_state_folder_may_be_moved(tmp_path: Path) -> None:
    publish(tmp_path / "here", variant(2))
    (tmp_path / "here").rename(tmp_path / "there")
    assert read_skill(tmp_path / "there/best/coding") == variant(2).skill
