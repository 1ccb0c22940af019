import pytest

from harness.ledger.schema import ConfirmationRow, VariantRow
from harness.ledger.subjects import Subjects, stage_of


def proposed(generation: int, variant: str) -> VariantRow:
    return VariantRow(
        key=f"generation/{generation}", generation=generation, batch=1, variant=variant, parent="", operator="reflect",
        rationale="", find="", replace="", name="x", tree_blob="", refused="",
    )  # fmt: skip


def confirmed(generation: int, key: str) -> ConfirmationRow:
    return ConfirmationRow(
        key=key, generation=generation, baseline="b", variant="v", number=1, alpha=0.05, alpha_sum=0.05, holdout_hash="h",
        orders=(),
    )  # fmt: skip


SUBJECTS = Subjects("c", (proposed(0, "a" * 64), proposed(1, "b" * 64), proposed(2, "b" * 64)), (confirmed(1, "k"),))


@pytest.mark.parametrize("behind", ["", "/given up 1", "/given up 2"])
@pytest.mark.parametrize(
    ("subject", "generation"),
    [
        ("proposal/c/2", 2),
        ("proposal/other/2", None),
        (f"screen/-/variant/{'b' * 16}/task/1", 1),
        (f"screen/-/variant/{'a' * 16}/task/1", None),
        (f"confirm/k/baseline/{'a' * 16}/task/1", 1),
        (f"confirm/k/variant/{'b' * 16}/task/1", 1),
        (f"confirm/unknown/variant/{'b' * 16}/task/1", None),
        (f"preflight/-/baseline/{'b' * 16}/task/1", None),
        (f"vault/k/variant/{'b' * 16}/task/1", None),
        ("canaries/c/1", None),
        ("", None),
    ],
)
def test_a_subject_belongs_to_the_generation_it_was_made_for_given_up_or_not(
    subject: str, behind: str, generation: int | None
) -> None:
    assert SUBJECTS.generation_of(f"{subject}{behind}") == generation


def test_the_stage_of_what_was_given_up_is_that_of_its_trial() -> None:
    assert stage_of("preflight/-/baseline/b/task/1/given up 1") == "preflight"
