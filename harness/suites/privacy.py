"""Privacy: secrets that a task must not carry, and a statement's words that say who or where.

Owns what counts as a secret and what is redacted; who is refused for it is decided where tasks are made. Nothing here calls a
network, and no secret is ever part of a message.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from detect_secrets.filters import allowlist, heuristic
from detect_secrets.plugins.base import BasePlugin, RegexBasedDetector
from detect_secrets.plugins.basic_auth import BasicAuthDetector
from detect_secrets.plugins.high_entropy_strings import Base64HighEntropyString, HexHighEntropyString
from detect_secrets.plugins.keyword import KeywordDetector
from detect_secrets.util.code_snippet import get_code_snippet

from harness.tree import Tree, difference

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from harness.task import Task
    from harness.tree import FileChange

STATEMENT = "statement"
_SHAPES = (
    "artifactory",
    "aws",
    "azure_storage_key",
    "cloudant",
    "discord",
    "github_token",
    "gitlab_token",
    "ibm_cloud_iam",
    "ibm_cos_hmac",
    "jwt",
    "mailchimp",
    "npm",
    "openai",
    "private_key",
    "pypi_token",
    "sendgrid",
    "slack",
    "softlayer",
    "square_oauth",
    "stripe",
    "telegram_token",
    "twilio",
)


class AnthropicKeyDetector(RegexBasedDetector):
    """A plug-in for detect-secrets, which does not know the keys of Anthropic's API."""

    secret_type = "Anthropic API key"  # noqa: S105  (the name of a kind)
    denylist = (re.compile(r"\bsk-ant-[A-Za-z0-9]+-[A-Za-z0-9_-]{16,}"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """Where a secret stands and of which kind it is; never the secret itself. `line` counts from 1."""

    where: str
    line: int
    kind: str

    def __str__(self) -> str:
        return f"{self.where}:{self.line}: {self.kind}"


def secrets_of(task: Task) -> tuple[Secret, ...]:
    """Every secret of a task: in its statement, in its base, and in what its reference and hidden tests add.

    In the base only what has the shape of a known key counts: there guesses (a telling variable name, a random-looking string,
    `user:pass@` in an address) are mostly digests, test data and examples. They count where the task itself adds a line.
    """
    added = [*difference(task.base, task.reference), *difference(task.base, task.hidden)]
    guessed = (found for change in added for found in _added(change))
    return tuple(dict.fromkeys([*secrets_in_text(task.instruction), *secrets_in(task.base), *guessed]))


def secrets_in(tree: Tree, *, guesses: bool = False) -> tuple[Secret, ...]:
    """The secrets of a tree's text files, in the order of its paths."""
    return tuple(found for path, file in tree for found in _in_file(path, file.content, guesses=guesses))


def secrets_in_text(text: str, where: str = STATEMENT) -> tuple[Secret, ...]:
    """The secrets of a text, guesses included."""
    return _in_file(where, text.encode("utf-8", "surrogateescape"), guesses=True)


def _added(change: FileChange) -> tuple[Secret, ...]:
    if change.new is None:
        return ()
    old = set(change.old.text.splitlines()) if change.old else set()
    lines = change.new.text.splitlines()
    return tuple(one for one in _in_file(change.path, change.new.content, guesses=True) if lines[one.line - 1] not in old)


@lru_cache(maxsize=8192)  # the tasks of one project share most of their files
def _in_file(path: str, content: bytes, *, guesses: bool) -> tuple[Secret, ...]:
    if b"\0" in content or heuristic.is_non_text_file(path):
        return ()
    lines = content.decode("utf-8", "surrogateescape").splitlines()
    plugins = (*_shaped(), *_guessing()) if guesses else _shaped()
    return tuple(dict.fromkeys(_found(path, lines, plugins)))


def _found(path: str, lines: Sequence[str], plugins: tuple[BasePlugin, ...]) -> Iterator[Secret]:
    for number, line in enumerate(lines, start=1):
        for plugin in plugins:
            for found in plugin.analyze_line(filename=path, line=line, line_number=number):
                if not _harmless(found.secret_value or "", line, plugin) and not _allowed(path, lines, number):
                    yield Secret(where=path, line=number, kind=found.type)


def _harmless(value: str, line: str, plugin: BasePlugin) -> bool:
    """By detect-secrets' own filters: templates, sequences, identifiers, references to a secret that stands elsewhere."""
    return (
        heuristic.is_sequential_string(value)
        or heuristic.is_potential_uuid(value)
        or heuristic.is_likely_id_string(value, line, plugin)
        or heuristic.is_templated_secret(value)
        or heuristic.is_prefixed_with_dollar_sign(value)
        or heuristic.is_not_alphanumeric_string(value)
        or heuristic.is_indirect_reference(line)
    )


def _allowed(path: str, lines: Sequence[str], number: int) -> bool:
    """Whether the owner has said that the line is no secret: `pragma: allowlist secret`."""
    snippet = get_code_snippet(list(lines), number)
    return bool(allowlist.is_line_allowlisted(path, lines[number - 1], snippet))


@lru_cache(maxsize=1)
def _shaped() -> tuple[BasePlugin, ...]:
    modules = [import_module(f"detect_secrets.plugins.{name}") for name in _SHAPES]
    kinds = [
        kind
        for module in modules
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, BasePlugin) and kind.__module__ == module.__name__
    ]
    return (AnthropicKeyDetector(), *(kind() for kind in kinds))


@lru_cache(maxsize=1)
def _guessing() -> tuple[BasePlugin, ...]:
    return KeywordDetector(), BasicAuthDetector(), Base64HighEntropyString(), HexHighEntropyString()


# --- statements ------------------------------------------------------------------------------------------------------

_CODE = re.compile(r"(```.*?```|`[^`\n]*`)", re.DOTALL)
_TRAILERS = re.compile(
    r"^[ \t]*(?:"
    r"(?:[\w-]+-by|cc|change-id|git-svn-id|differential revision):[ \t].*"
    r"|(?:fixes|closes|resolves|refs?|issue|link|bug)\b:?(?:[ \t,.]+(?:and\b)?|[\w./-]*#\d+|GH-\d+|https?://\S+|\b[0-9a-f]{7,64}\b)+"
    r")$\n?",
    re.IGNORECASE | re.MULTILINE,
)
_RESERVED = re.compile(r"(?:^|\.)(?:example(?:\.(?:com|org|net))?|test|invalid|localhost)$", re.IGNORECASE)  # RFC 2606
_LINK = re.compile(r"\b(?:https?|ftp|ssh|git)://(?:[^\s/@<>`\"']*@)?(?P<host>[^\s/:?#<>()`\"']+)[^\s<>`\"']*", re.IGNORECASE)
_MAIL = re.compile(r"\b[\w.+-]+@(?P<host>[\w-]+(?:\.[\w-]+)+)")
_ADDRESS = re.compile(r"(?<![\w.])(?P<host>\d{1,3}(?:\.\d{1,3}){3})(?![\w.]*\d)")
_DOCUMENTED = re.compile(r"^(?:127\.|0\.|255\.|192\.0\.2\.|198\.51\.100\.|203\.0\.113\.)")  # RFC 5737, and this host
_HOST = re.compile(
    r"(?<![\w@./-])(?P<host>(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:com|org|net|edu|gov|io|dev|cloud|internal|corp|lan|intranet))"
    r"(?![\w(-]|\.\w)",
    re.IGNORECASE,
)
_HANDLE = re.compile(r"(?<![\w@.`/\\])@(?P<name>[A-Za-z][\w-]{0,38})(?![\w(/-]|\.\w)")
_DECORATORS = frozenset({"property", "staticmethod", "classmethod", "dataclass", "override", "overload", "cached_property"})
_NUMBER = re.compile(r"[ \t]*\((?:GH-|#)\d{1,6}\)|(?<![\w&/])[\w./-]*(?:GH-|#)\d{1,5}\b")
_HASH = re.compile(r"(?<![\w#-])(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}(?![\w-])")


def redacted(text: str, deny: Iterable[str] = ()) -> str:
    """The text without what says who wrote it or where: e-mails, handles, hosts, hashes, links, issue numbers, trailers.

    In code (between backticks) only e-mails, links, addresses and denied words go, since the rest may be what the task is
    about; names that are reserved for examples stay. `deny` are the owner's own words, whole and in any case. Redacting twice
    changes nothing.
    """
    parts = _CODE.split(_TRAILERS.sub("", text))
    told = "".join(_anywhere(part) if number % 2 else _prose(_anywhere(part)) for number, part in enumerate(parts))
    for word in sorted({word.strip() for word in deny} - {""}, key=len, reverse=True):
        told = re.sub(rf"(?<![^\W_])(?<!\[){re.escape(word)}(?![^\W_])(?!\])", "[redacted]", told, flags=re.IGNORECASE)
    return told


def _anywhere(text: str) -> str:
    for pattern, mark in ((_LINK, "[link]"), (_MAIL, "[e-mail]"), (_ADDRESS, "[address]")):
        text = pattern.sub(lambda match, mark=mark: match[0] if _known(match["host"]) else mark, text)  # type: ignore[misc]
    return text


def _known(host: str) -> bool:
    return bool(_RESERVED.search(host) or _DOCUMENTED.match(host))


def _prose(text: str) -> str:
    text = _NUMBER.sub(lambda match: "" if "(" in match[0] else "[issue]", text)
    text = _HOST.sub(lambda match: match[0] if _known(match["host"]) else "[host]", text)
    text = _HANDLE.sub(lambda match: match[0] if match["name"] in _DECORATORS else "[name]", text)
    return _HASH.sub("[hash]", text)
