from __future__ import annotations

import pytest

from harness.suites.environment import Resolution, chosen, resolved
from harness.suites.needs import Needs
from harness.suites.rejected import Reason, Rejected
from harness.testing import LocalLab


def wanted(interpreter: str, *without: str) -> str:
    """What is chosen of three Pythons, of which some cannot be had."""
    return chosen(Needs(interpreter=interpreter), ("3.11", "3.13", "3.12"), lambda python: python not in without)


def test_a_project_that_the_sandboxs_own_python_fits_gets_it() -> None:
    assert [wanted(one, "3.13", "3.12") for one in ("", ">=3.8", "==3.11.*", "~=3.11", "three")] == ["3.11"] * 5


def test_a_project_that_wants_another_python_gets_the_first_that_fits_and_can_be_had() -> None:
    assert (wanted(">=3.12"), wanted(">=3.12", "3.13"), wanted("<3.13,>=3.12")) == ("3.13", "3.12", "3.12")


@pytest.mark.parametrize(
    ("interpreter", "why"),
    [
        ("<3.8", r"wants Python <3\.8, and the sandbox has 3\.11, 3\.13, 3\.12"),
        (">=3.12", r"wants Python >=3\.12, and 3\.13 and 3\.12 cannot be had here"),
    ],
)
def test_a_project_whose_python_cannot_be_had_is_rejected_with_what_there_is(interpreter: str, why: str) -> None:
    with pytest.raises(Rejected, match=why) as caught:
        wanted(interpreter, "3.13", "3.12")
    assert caught.value.reason is Reason.INTERPRETER


def test_versions_of_the_lock_are_used_until_they_cannot_be_had() -> None:
    def resolve(_: tuple[str, ...], constraints: tuple[str, ...], python: str) -> Resolution:  # noqa: ARG001
        return Resolution(pins=None, said="ERROR: too old\n") if constraints else Resolution(pins=("attrs==26",), said="")

    found = resolved(Needs(requirements=("attrs",), constraints=("attrs==1",)), "3.11", resolve)
    assert (found.pins, found.fixes) == (("attrs==26",), ("versions of the lock file left aside",))
    assert "too old" in found.log


def test_a_version_that_cannot_be_had_is_loosened_and_a_package_that_cannot_is_left_out() -> None:
    lab = LocalLab({"attrs": "attrs==26.1"})
    found = resolved(Needs(requirements=("attrs==1.0", "nowhere")), "3.11", lab.resolve)
    assert found.pins == ("attrs==26.1",)
    assert found.fixes == ("attrs==1.0 in its newest version", "nowhere left out")


def test_packages_that_never_fit_together_reject_with_the_log() -> None:
    with pytest.raises(Rejected, match="pip finds no set of packages") as caught:
        resolved(Needs(requirements=("a>1", "b")), "3.11", lambda *_: Resolution(pins=None, said="ERROR: ResolutionImpossible\n"))
    assert caught.value.reason is Reason.ENVIRONMENT
    assert caught.value.log.count("ResolutionImpossible") == 2


def test_the_suites_own_tools_are_no_pins_of_the_project() -> None:
    found = resolved(Needs(), "3.11", lambda *_: Resolution(pins=("pytest==9.2.0", "ruff==0.17.6", "pluggy==1.7")))
    assert found.pins == ("pluggy==1.7",)
