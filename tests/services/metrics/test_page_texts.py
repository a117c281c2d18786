import pytest

from metrics.score import Score
from services.metrics.pages.commands import run_command
from services.metrics.pages.environment import count, number, percent
from services.metrics.pages.score_tables import headline, score_tables
from services.metrics.pages.texts import direction, first_text, item_fields, language_tag, printable


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ذهبت", "rtl"),
        ("שלום world", "rtl"),
        ("12: سلام", "rtl"),
        ("hello سلام", "ltr"),
        ("日本語", "ltr"),
        ("123 …", "ltr"),
        ("", "ltr"),
    ],
)
def test_a_text_runs_as_its_first_letter_does(text, expected):
    assert direction(text) == expected


@pytest.mark.parametrize(
    ("code", "tag"),
    [("amh", "am"), ("arq", "arq"), ("de", "de"), ("en_de", None), ("mean!", None), (None, None)],
)
def test_a_language_is_named_as_browsers_know_it(code, tag):
    assert language_tag(code) == tag


def test_each_sentence_of_a_pair_has_its_own_language():
    fields = item_fields("stingray", "zh_ja", {"sentences": ["手紙です", "手纸"], "gold": "A"})

    assert [text.language for text in fields[0].texts] == ["zh", "ja"]


def test_empty_fields_are_left_out_and_nested_ones_are_written_for_people():
    fields = item_fields(
        "dibimt", "de", {"a": None, "b": [], "bad_ones": [{"lemma": "Bank", "n": 1.0}], "ok": True}
    )

    assert [(field.name, [text.text for text in field.texts]) for field in fields] == [
        ("bad ones", ["lemma: Bank, n: 1"]),
        ("ok", ["yes"]),
    ]


def test_the_longest_text_stands_for_an_item():
    fields = {"gold": 0.5, "word": "bank", "sentences": ["kurz", "ein langer Satz"]}

    assert first_text("semrel", "deu", fields).text == "ein langer Satz"
    assert first_text("semrel", "deu", {}).text == ""


def test_what_no_page_may_hold_is_shown_by_its_number():
    assert printable("a\x00\ud800\tb\n") == "a\\u0000\\ud800\tb\n"


@pytest.mark.parametrize(
    ("share", "written"),
    [(None, "–"), (1.0, "100 %"), (0.9999, "99.9 %"), (0.5, "50 %"), (0.0, "0 %")],
)
def test_only_the_whole_is_a_hundred_per_cent(share, written):
    assert percent(share).replace("\u202f", " ") == written


def test_numbers_are_written_with_a_true_minus_and_none_is_a_dash():
    assert [number(-0.25), number(None), number(0.0), count(12345), count(None)] == [
        "−0.250",
        "–",
        "0.000",
        "12\u202f345",
        "–",
    ]


def make_score(value, **changes):
    return Score(**{"benchmark": "b", "metric": "accuracy", "n": 1, "value": value, **changes})


def test_bars_stand_on_the_natural_range_of_their_metric():
    plain = score_tables([make_score(0.5, ci_low=0.25, ci_high=0.75, baselines={"chance": 0.1})])
    signed = score_tables([make_score(0.5, metric="spearman", ci_low=0.0, ci_high=1.0)])

    bar = plain[0].headlines[0].bar
    assert (bar.value, bar.low, bar.high, bar.zero, bar.baselines) == (50, 25, 75, 0, (10,))
    bar = signed[0].headlines[0].bar
    assert (bar.value, bar.low, bar.high, bar.zero) == (75, 50, 100, 50)


def test_a_scale_grows_where_a_value_leaves_the_natural_range():
    table = score_tables([make_score(3.0), make_score(-2.0, language="x")])[0]

    assert (table.low, table.high) == (-2.0, 3.0)


def test_scores_are_grouped_in_their_order_and_details_stand_apart():
    tables = score_tables(
        [
            make_score(0.1, language="a"),
            make_score(None, metric="f1", reason="none"),
            make_score(0.2, language="a", subset="s"),
        ]
    )

    assert [(table.metric, len(table.headlines), len(table.details)) for table in tables] == [
        ("accuracy", 1, 1),
        ("f1", 1, 0),
    ]
    assert tables[1].headlines[0].bar is None
    assert tables[1].title == "F1"


def test_the_mean_of_the_first_metric_stands_for_a_run():
    first, mean = make_score(0.1, language="a"), make_score(0.2)
    other = make_score(0.9, metric="f1")

    assert headline([first, mean, other]) == mean
    assert headline([first, other]) == first
    assert headline([make_score(None), other]) == other
    assert headline([make_score(None)]) is None


def test_a_command_is_quoted_for_a_shell():
    spec = {
        "benchmark": "dtails", "model": "hf:/my models/x", "tasks": ["select"], "languages": [],
        "data": "a'b", "limit": 0, "seed": 0, "settings": {"b": "2", "a": "x y"},
        "batch_items": 7, "use_cache": False,
    }  # fmt: skip

    assert run_command(spec) == (
        "polysense run dtails --model 'hf:/my models/x' --task select --data 'a'\"'\"'b' "
        "--limit 0 --seed 0 --setting 'a=x y' --setting b=2 --batch-items 7 --no-cache"
    )
