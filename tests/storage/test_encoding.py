import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.encoding import from_json, from_text, to_json, to_text
from storage.errors import UnstorableError

ANY_TEXT = st.text(alphabet=st.characters(codec=None, exclude_categories=[]))


@given(ANY_TEXT)
def test_any_text_comes_back_and_has_nothing_that_postgres_refuses(text):
    stored = to_text(text)

    assert from_text(stored) == text
    assert "\x00" not in stored
    stored.encode()


def test_ordinary_text_is_stored_as_it_is():
    assert to_text("العربية \\u0000 日本語\n") == "العربية \\u0000 日本語\n"


def test_two_different_texts_are_never_stored_alike():
    assert to_text("\x00") != to_text("\x1a0000")


@given(st.recursive(ANY_TEXT | st.integers() | st.none() | st.booleans(), st.lists))
def test_any_json_value_comes_back(value):
    document = to_json(value)

    assert from_json(document) == value
    document.encode()


@pytest.mark.parametrize("value", [float("nan"), {"x": float("inf")}, object(), {1, 2}])
def test_what_json_does_not_have_is_refused(value):
    with pytest.raises(UnstorableError, match="not a JSON value"):
        to_json(value)


def test_a_value_that_holds_itself_is_refused():
    value: list[object] = []
    value.append(value)

    with pytest.raises(UnstorableError, match="not a JSON value"):
        to_json(value)
