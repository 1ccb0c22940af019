from harness.models.tag import tag_of


def test_a_tag_is_32_hex_digits_and_the_same_for_the_same_asker() -> None:
    tag = tag_of("coder", "screen/-/variant/0123/task/1")
    assert (len(tag), set(tag) <= set("0123456789abcdef"), tag) == (32, True, tag_of("coder", "screen/-/variant/0123/task/1"))


def test_roles_and_subjects_have_tags_of_their_own() -> None:
    assert len({tag_of("coder", "a"), tag_of("coder", "b"), tag_of("proposer", "a")}) == 3
