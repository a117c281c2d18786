"""Keys come from the environment or from mounted files, and only those meant for providers."""

import pytest

from services.provider_keys import find_secret
from services.web.settings import SettingsError


def test_the_environment_comes_before_a_mounted_file(monkeypatch, tmp_path):
    (tmp_path / "DEEPL_API_KEY").write_text("from-file\n")
    monkeypatch.delenv("DEEPL_API_KEY", raising=False)

    mounted = find_secret("DEEPL_API_KEY", tmp_path)
    monkeypatch.setenv("DEEPL_API_KEY", " from-variable ")
    exported = find_secret("DEEPL_API_KEY", tmp_path)

    assert mounted.get_secret_value() == "from-file"
    assert exported.get_secret_value() == "from-variable"
    assert "from" not in repr((mounted, exported))


def test_a_named_secret_has_a_prefix_so_that_no_other_variable_can_be_asked_for(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgres://user:password@host")
    monkeypatch.setenv("POLYSENSE_SECRET_team", "team-key")

    assert find_secret("DATABASE_URL", None) is None
    assert find_secret("team", None).get_secret_value() == "team-key"


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", ".", ""])
def test_a_name_does_not_lead_out_of_the_folder(tmp_path, name):
    (tmp_path / "outside").write_text("key")
    folder = tmp_path / "secrets"
    folder.mkdir()

    assert find_secret(name, folder) is None


@pytest.mark.parametrize("text", ["two words", "line\nbreak", "schlüssel"])
def test_what_cannot_be_a_key_is_refused_without_telling_it(monkeypatch, text):
    monkeypatch.setenv("OPENAI_API_KEY", text)

    with pytest.raises(SettingsError, match="the variable OPENAI_API_KEY holds no key") as refused:
        find_secret("OPENAI_API_KEY", None)

    assert text not in str(refused.value)


@pytest.mark.parametrize("text", ["", "  ", "\n"])
def test_an_empty_key_is_no_key(monkeypatch, text):
    monkeypatch.setenv("OPENAI_API_KEY", text)

    assert find_secret("OPENAI_API_KEY", None) is None
