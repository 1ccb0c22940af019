import http.client
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest

from harness.errors import HarnessError, InputError
from harness.report.follow import Live, served


@dataclass
class Ledger:
    """A head that can be moved, and how often a page was made of it."""

    head: str = "1:a"
    made: list[str] = field(default_factory=list)
    fails: bool = False

    def render(self) -> str:
        """A page that names the head."""
        if self.fails:
            raise HarnessError("entry 3 was changed\u202e")
        self.made.append(self.head)
        return f"<p>page of {self.head}, ü</p>"


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def address(ledger: Ledger) -> Iterator[str]:
    with served(Live(lambda: ledger.head, ledger.render), 0) as found:
        yield found


def ask(address: str, path: str = "/", **headers: str) -> tuple[int, dict[str, str], str]:
    place = urlsplit(address)
    with closing(http.client.HTTPConnection(place.hostname or "", place.port, timeout=10)) as connection:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode()


def test_the_page_is_served_and_the_browser_told_to_come_back(address: str) -> None:
    status, headers, body = ask(address)
    assert (status, body) == (200, "<p>page of 1:a, ü</p>")
    assert headers["Refresh"] == "10"


def test_it_is_made_again_only_when_the_ledger_has_grown(address: str, ledger: Ledger) -> None:
    for _ in range(3):
        ask(address)
    ledger.head = "2:b"
    assert "2:b" in ask(address)[2]
    assert ledger.made == ["1:a", "2:b"]


def test_a_browser_that_has_it_is_told_so(address: str) -> None:
    assert ask(address, **{"If-None-Match": '"1:a"'})[0] == 304
    assert ask(address, **{"If-None-Match": '"0:x"'})[0] == 200


@pytest.mark.parametrize(("path", "host"), [("/etc/passwd", "127.0.0.1"), ("/", "evil.example"), ("/", "evil.example:80")])
def test_another_path_and_another_sites_name_get_nothing(address: str, path: str, host: str) -> None:
    status, _, body = ask(address, path, Host=host)
    assert (status, "page of" in body) == (404, False)


def test_a_ledger_that_cannot_be_read_is_said_and_the_server_goes_on(address: str, ledger: Ledger) -> None:
    ledger.fails = True
    status, _, body = ask(address)
    assert (status, "entry 3 was changed⟨U+202E⟩" in body) == (503, True)
    ledger.fails = False
    assert ask(address)[0] == 200


def test_a_port_that_is_taken_is_refused_in_words(address: str) -> None:
    port = urlsplit(address).port or 0
    with pytest.raises(InputError, match=f"--port {port}: cannot be had"), served(Live(str, str), port):
        pass
