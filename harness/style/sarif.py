"""Findings as SARIF 2.1.0, for editors and code scanning: one result a new finding, one rule with the quote behind it."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from harness.evidence import Finding
    from harness.ports import Json
    from harness.style.packs import Pack, Rule

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
URI = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html"


def sarif_document(findings: Iterable[Finding], pack: Pack) -> Mapping[str, Json]:
    """The document for new findings; a rule that gates is an error, another a note."""
    found = tuple(findings)
    names = sorted({finding.rule for finding in found})
    known = {rule.id: rule for rule in pack.rules}
    driver: Mapping[str, Json] = {
        "name": "harness rules",
        "version": version("coding-skill-harness"),
        "informationUri": URI,
        "rules": [_rule(name, known.get(name)) for name in names],
    }
    results = [_result(finding, names.index(finding.rule)) for finding in found]
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}


def _rule(name: str, rule: Rule | None) -> Mapping[str, Json]:
    if rule is None:
        return {"id": name, "shortDescription": {"text": f"{name}, as the project's linter has it"}}
    return {
        "id": name,
        "shortDescription": {"text": rule.quote},
        "help": {"text": f'"{rule.quote}" ({rule.file}:{rule.line}, {rule.label})'},
    }


def _result(finding: Finding, index: int) -> Mapping[str, Json]:
    uri = finding.path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    place: Mapping[str, Json] = {"artifactLocation": {"uri": uri}, "region": {"startLine": max(1, finding.line)}}
    digest = hashlib.sha256(finding.key.encode("utf-8", "surrogateescape")).hexdigest()
    return {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": "error" if finding.gating else "note",
        "message": {"text": finding.message.encode("utf-8", "replace").decode() or finding.rule},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"harnessKey/v1": digest},
        "baselineState": "new",
    }
