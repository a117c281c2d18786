import pytest

from benchmarks.prompt_file import TemplateFields, embed_prompts, read_embedded, template_hash

FIELDS = {
    "one": TemplateFields(frozenset({"a"}), frozenset({"b"})),
    "two": TemplateFields(frozenset()),
}


def test_the_content_is_embedded_once_and_stays_the_same():
    text = '{"two": "x", "one": "{a} and {{b}}"}'

    embedded = embed_prompts(text, FIELDS)

    assert embed_prompts(embedded, FIELDS) == embedded
    assert read_embedded(embedded) == {"one": "{a} and {{b}}", "two": "x"}
    assert embed_prompts("", FIELDS) == ""
    assert read_embedded("") == {}


def test_some_templates_are_enough_where_not_all_are_needed():
    assert embed_prompts('{"two": "x"}', FIELDS, needs_all=False)
    with pytest.raises(ValueError, match="allowed: one, two"):
        embed_prompts("{}", FIELDS, needs_all=False)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    path = tmp_path / "own.json"
    path.write_bytes(b"\xff")

    for wrong in (path, tmp_path, tmp_path / "missing"):
        with pytest.raises(ValueError, match="cannot be read"):
            embed_prompts(str(wrong), FIELDS)


def test_a_file_that_is_too_long_is_refused():
    with pytest.raises(ValueError, match="limit 100000"):
        embed_prompts('{"one": "' + "x" * 100_000 + '"}', FIELDS)


def test_a_changed_template_has_another_hash():
    assert template_hash("a") == template_hash("a") != template_hash("b")
