"""Packages of the npm registry for real: what a lock names is installed, to the letter, and nothing else."""

import io
import json
import tarfile

import pytest

from harness.errors import DockerUnavailableError
from harness.sandbox.images import node_modules

pytestmark = pytest.mark.soak

# isexe 3.1.1 is older than what `which` would get without a lock.
ISEXE = {
    "version": "3.1.1",
    "integrity": "sha512-LpB/54B+/2J5hqQ7imZHfdU31OlgQqx7ZicVlkm9kzg9/w8GKLEcFfJl/t7DCEDueOyBAD6zCCwTO6Fzs0NoEQ==",
}
WHICH = {
    "version": "5.0.0",
    "integrity": "sha512-JEdGzHwwkrbWoGOlIHqQ5gtprKGOenpDHpxE9zVR1bWbOtYRyPPHMe9FaP6x61CmNaTThSkb0DAJte5jD+DmzQ==",
    "dependencies": {"isexe": "^3.1.1"},
}


def lock(isexe: dict[str, str]) -> str:
    packages = {"": {"dependencies": {"which": "5.0.0"}}, "node_modules/isexe": isexe, "node_modules/which": WHICH}
    return json.dumps({"name": "x", "lockfileVersion": 3, "requires": True, "packages": packages})


def installed(archive: bytes) -> dict[str, str]:
    found = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        for name in ("which", "isexe"):
            file = opened.extractfile(f"node_modules/{name}/package.json")
            assert file
            found[name] = json.load(file)["version"]
    return found


def test_what_a_lock_names_is_installed_even_where_something_newer_would_do() -> None:
    assert installed(node_modules(("npm:which==5.0.0",), lock(ISEXE))) == {"which": "5.0.0", "isexe": "3.1.1"}
    assert installed(node_modules(("npm:which==5.0.0",), ""))["isexe"] != "3.1.1"


def test_a_package_whose_hash_is_another_is_refused() -> None:
    with pytest.raises(DockerUnavailableError, match=r"npm cannot install which@5\.0\.0: .*EINTEGRITY"):
        node_modules(("npm:which==5.0.0",), lock(ISEXE | {"integrity": WHICH["integrity"]}))
