import string
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.suites.privacy import redacted, secrets_in, secrets_in_text, secrets_of
from harness.task import Task
from harness.tree import Tree

# Put together here, so that no scanner takes this file for one with keys in it.
ANTHROPIC = "sk-ant-" + "api03-" + "Zx81Qw0aMn27Pk4Lr9Tb3Vc6"
AWS = "AKIA" + "QWJ3YB7X2MNLZ4TD"
GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
DIGEST = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def test_a_password_in_an_example_address_is_no_secret_of_the_base_and_one_where_it_is_added(task: Task) -> None:
    text = "# https://" + "user:opensesame@db.internal/x\n"
    assert secrets_in(Tree.of({"a.py": text})) == ()
    added = replace(task, reference=task.reference.overlaid(Tree.of({"a.py": text})))
    assert [str(one) for one in secrets_of(added)] == ["a.py:1: Basic Auth Credentials"]


@pytest.mark.parametrize("secret", [ANTHROPIC, AWS, GITHUB, "-----BEGIN RSA " + "PRIVATE KEY-----"])
def test_a_key_anywhere_in_the_base_is_named_by_file_and_line_and_never_printed(task: Task, secret: str) -> None:
    base = task.base.overlaid(Tree.of({"src/basket/deploy.py": f'X = 1\n\nTOKEN = "{secret}"\n'}))
    found = secrets_of(replace(task, base=base))
    assert [(one.where, one.line) for one in found] == [("src/basket/deploy.py", 3)]
    assert secret not in repr(found) + str(found[0])
    assert str(found[0]).startswith("src/basket/deploy.py:3: ")


def test_a_key_in_the_statement_the_reference_or_a_hidden_test_is_found(task: Task) -> None:
    line = Tree.of({"conf.py": f"K = '{ANTHROPIC}'\n"})
    for part, where in (
        (replace(task, instruction=f"Use {ANTHROPIC} here.\n"), "statement"),
        (replace(task, reference=task.reference.overlaid(line)), "conf.py"),
        (replace(task, hidden=task.hidden.overlaid(line)), "conf.py"),
    ):
        assert {one.where for one in secrets_of(part)} == {where}


def test_a_guess_counts_where_the_task_adds_it_and_not_in_a_base_that_has_it_already(task: Task) -> None:
    files = Tree.of({"known.py": f'EMPTY = "{DIGEST}"\nX = 1\n'})
    old = replace(task, base=task.base.overlaid(files), reference=task.reference.overlaid(files))
    assert secrets_of(old) == ()
    changed = Tree.of({"known.py": f'EMPTY = "{DIGEST}"\nX = 2\n'})
    assert secrets_of(replace(old, reference=old.reference.overlaid(changed))) == ()
    added = Tree.of({"known.py": f'EMPTY = "{DIGEST}"\nX = 1\npassword = "hunter-Two-99"\n'})
    assert [str(one) for one in secrets_of(replace(old, reference=old.reference.overlaid(added)))] == [
        "known.py:3: Secret Keyword"
    ]


def test_what_the_owner_has_marked_as_no_secret_and_what_is_no_text_are_left_alone() -> None:
    marked = f'KEY = "{ANTHROPIC}"  # pragma: allowlist secret\n'
    assert secrets_in(Tree.of({"a.py": marked, "b.bin": b"\0" + ANTHROPIC.encode()})) == ()
    assert secrets_in_text("The environment variable ANTHROPIC_API_KEY holds the key; it begins with sk-ant-.") == ()


def test_bundled_code_and_an_honest_task_hold_no_secret(task: Task) -> None:
    assert secrets_of(task) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ask jo.doe+x@acme.io about it.", "Ask [e-mail] about it."),
        (
            "Thanks @octo-cat, and @property stays, as does @pytest.mark.slow.",
            "Thanks [name], and @property stays, as does @pytest.mark.slow.",
        ),
        ("Fails on build-7.acme.internal and 10.1.2.3.", "Fails on [host] and [address]."),
        ("See https://git.acme.com/x/y?z=1#L3 for more.", "See [link] for more."),
        (
            "`get('http://example.com/a')` and http://localhost:80/ stay.",
            "`get('http://example.com/a')` and http://localhost:80/ stay.",
        ),
        ("Since 3f2a9bc1 it fails (#123), as in #45 and acme/tool#6.", "Since [hash] it fails, as in [issue] and [issue]."),
        ("Fix it\n\nSigned-off-by: Jo Doe <jo@acme.io>\nCo-authored-by: B <b@acme.io>\nFixes: #12, #13\n", "Fix it\n\n"),
        ("Fixes the crash on empty input.\nFixes: a crash\n", "Fixes the crash on empty input.\nFixes: a crash\n"),
        (
            "Call os.path.join, self.app.run() and module.py on 1.2.3.",
            "Call os.path.join, self.app.run() and module.py on 1.2.3.",
        ),
        ("`digest == 'deadbeef1'` and `@cache` stay in code.", "`digest == 'deadbeef1'` and `@cache` stay in code."),
        ("Acme's client, ACME and acme_id, not acmeism.", "[redacted]'s client, [redacted] and [redacted]_id, not acmeism."),
    ],
)
def test_who_and_where_are_redacted_and_what_the_task_is_about_stays(text: str, expected: str) -> None:
    assert redacted(text, ("acme ", "")) == expected


@given(
    st.lists(
        st.sampled_from(
            [
                "@joe",
                "jo@acme.io",
                "https://acme.io/x",
                "(#12)",
                "GH-3",
                "10.0.0.1",
                "3f2a9bc1",
                "`a@b.io`",
                "Acme",
                "link",
                "\n",
                "x",
            ]
        )
        | st.text(string.printable, max_size=6),
        max_size=12,
    ).map(" ".join)
)
def test_redacting_twice_changes_nothing_and_no_e_mail_or_link_is_left(text: str) -> None:
    once = redacted(text, ("Acme", "link", "redacted"))
    assert redacted(once, ("Acme", "link", "redacted")) == once
    assert "jo@acme.io" not in once
    assert "https://acme.io/x" not in once
