"""The papers' numbers stand beside one's own, and only beside what they can be compared with."""

import pytest

from metrics.score import Score
from services.cli.printing import print_published
from services.metrics.pages.environment import PAGES
from services.metrics.pages.score_tables import score_tables
from services.metrics.published import published_beside


def score(**changes):
    given = {
        "benchmark": "semrel",
        "metric": "spearman",
        "task": "relatedness",
        "language": "tel",
        "value": 0.5,
        "n": 297,
    }
    return Score(**{**given, **changes})


def test_a_headline_score_has_the_papers_systems_beside_it():
    systems = {value.system for value in published_beside(score())}

    assert {"LaBSE, untuned", "lexical overlap", "xlm-roberta-base"} <= systems


@pytest.mark.parametrize(
    "changes",
    [
        {"setting": "pooling=first"},
        {"layer": 3},
        {"metric": "accuracy"},
        {"language": None},
        {"language": "xyz"},
        {"subset": "a"},
        {"benchmark": "not-installed"},
    ],
)
def test_what_no_paper_reports_has_nothing_beside_it(changes):
    assert published_beside(score(**changes)) == ()


def test_the_terminal_shows_them_tagged_with_their_source(capsys):
    print_published([score()])

    shown = capsys.readouterr().out
    assert shown.lstrip().startswith("published")
    assert "LaBSE, untuned 0.800" in shown
    assert "– 11: Ousidhoum et al. 2024" in shown


def test_the_terminal_shows_nothing_where_there_is_nothing(capsys):
    print_published([score(language="xyz")])

    assert capsys.readouterr().out == ""


def test_the_page_shows_them_under_the_scores():
    (table,) = score_tables([score(), score(language="xyz")])

    page = PAGES.get_template("parts.html").module.published(table)

    assert "published" in page
    assert page.count("LaBSE, untuned") == 1
    assert "0.800" in page
