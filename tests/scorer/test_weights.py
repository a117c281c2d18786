import hashlib
import threading

import pytest

from scorer.errors import ModelNotFoundError
from scorer.weights import find_model


def refuse(file, folder):
    raise AssertionError("nothing to convert")


@pytest.fixture
def model_folder(tmp_path):
    folder = tmp_path / "a model"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    return folder


def test_a_folder_without_weights_is_told_in_one_sentence(model_folder, tmp_path):
    with pytest.raises(
        ModelNotFoundError, match=r"no weights in .*a model: it has no \.safetensors"
    ):
        find_model(f"hf:{model_folder}", tmp_path, refuse)


def test_weights_that_would_run_code_are_named(model_folder, tmp_path):
    (model_folder / "pytorch_model.bin").write_bytes(b"x")

    with pytest.raises(ModelNotFoundError, match=r"pytorch_model\.bin would run code"):
        find_model(f"hf:{model_folder}", tmp_path, refuse)


@pytest.mark.parametrize("name", ["nothing", "hf:", "hf:./nowhere", "hf:/nowhere/at/all"])
def test_an_unknown_model_is_told(name, tmp_path):
    with pytest.raises(ModelNotFoundError, match=r"unknown model|no folder"):
        find_model(name, tmp_path, refuse)


def test_a_hash_is_that_of_the_file_and_follows_its_changes(model_folder, tmp_path):
    weights = model_folder / "model.safetensors"
    weights.write_bytes(b"one")
    first = find_model(f"hf:{model_folder}", tmp_path / "c", refuse)
    weights.write_bytes(b"other")

    second = find_model(f"hf:{model_folder}", tmp_path / "c", refuse)

    assert first.weights_sha256 == hashlib.sha256(b"one").hexdigest()
    assert second.weights_sha256 == hashlib.sha256(b"other").hexdigest()
    assert first.revision == "local"


def test_several_files_have_one_hash_that_depends_on_each(model_folder, tmp_path):
    (model_folder / "a.safetensors").write_bytes(b"a")
    (model_folder / "b.safetensors").write_bytes(b"b")
    before = find_model(f"hf:{model_folder}", tmp_path / "c", refuse).weights_sha256
    (model_folder / "b.safetensors").write_bytes(b"changed")

    assert find_model(f"hf:{model_folder}", tmp_path / "c", refuse).weights_sha256 != before


def write_model(file, folder):
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(file.read_bytes())


def test_a_gguf_file_is_converted_once_by_many_at_once(tmp_path):
    file = tmp_path / "weights.gguf"
    file.write_bytes(b"weights")
    calls, found = [], []

    def convert(source, folder):
        calls.append(source)
        write_model(source, folder)

    def find():
        found.append(find_model(f"hf:{file}", tmp_path / "cache", convert).folder)

    threads = [threading.Thread(target=find) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert calls == [file]
    assert len(set(found)) == 1


def test_a_conversion_that_breaks_leaves_nothing(tmp_path):
    file = tmp_path / "weights.gguf"
    file.write_bytes(b"weights")

    def half(source, folder):
        (folder / "config.json").write_text("{}")
        raise ModelNotFoundError("broken")

    with pytest.raises(ModelNotFoundError, match="broken"):
        find_model(f"hf:{file}", tmp_path / "cache", half)

    found = find_model(f"hf:{file}", tmp_path / "cache", write_model)
    assert (found.folder / "model.safetensors").is_file()


def test_another_kind_of_file_is_no_model(tmp_path):
    file = tmp_path / "weights.zip"
    file.write_bytes(b"x")

    with pytest.raises(ModelNotFoundError, match="neither a folder nor"):
        find_model(f"hf:{file}", tmp_path, refuse)


@pytest.fixture
def adapter(model_folder):
    (model_folder / "model.safetensors").write_bytes(b"base")
    folder = model_folder.parent / "adapter"
    folder.mkdir()
    (folder / "adapter_config.json").write_text('{"base_model_name_or_path": "../a model"}')
    (folder / "adapter_model.safetensors").write_bytes(b" and adapter")
    return folder


def join(base, adapter, folder):
    (folder / "config.json").write_text("{}")
    parts = [base / "model.safetensors", adapter / "adapter_model.safetensors"]
    (folder / "model.safetensors").write_bytes(b"".join(part.read_bytes() for part in parts))


def test_an_adapter_is_merged_once_and_its_hash_is_of_both(adapter, model_folder, tmp_path):
    def find(merge):
        return find_model(f"hf:{adapter}", tmp_path / "c", refuse, merge)

    first = find(join)
    again = find(refuse)
    (model_folder / "model.safetensors").write_bytes(b"another base")
    other = find(join)

    assert first.weights_sha256 == hashlib.sha256(b"base and adapter").hexdigest()
    assert again == first
    assert first.revision == "local on local"
    assert other.weights_sha256 != first.weights_sha256


def test_an_adapter_without_weights_or_base_is_told(adapter, tmp_path):
    with pytest.raises(ModelNotFoundError, match="only a scorer can load it"):
        find_model(f"hf:{adapter}", tmp_path, refuse)
    (adapter / "adapter_config.json").write_text("{}")
    with pytest.raises(ModelNotFoundError, match="names no base_model_name_or_path"):
        find_model(f"hf:{adapter}", tmp_path, refuse, join)
    (adapter / "adapter_model.safetensors").unlink()
    with pytest.raises(ModelNotFoundError, match=r"no \.safetensors file"):
        find_model(f"hf:{adapter}", tmp_path, refuse, join)
