import re
from html.parser import HTMLParser

import pytest

from storage import runs

RUN = "01RUN000000000000000000001"
EVIL = "<script>alert('x')</script>"
PAGES = ["/", f"/runs/{RUN}", f"/runs/{RUN}/items", *(f"/runs/{RUN}/items/{n}" for n in range(4))]
VOID = {"meta", "link", "input", "br"}


class Reader(HTMLParser):
    """Reads a page: its tags with their attributes, and whether every tag is closed."""

    def __init__(self, page):
        super().__init__()
        self.tags = []
        self.open = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))


async def page_of(client, path):
    answer = await client.get(path)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    return answer.text


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_is_sound_and_asks_nothing_of_others(client, run, path):
    page = await page_of(client, path)
    reader = Reader(page)

    assert reader.open == []
    names = {name for name, _ in reader.tags}
    assert "script" not in names
    assert not any("style" in attributes for _, attributes in reader.tags)
    assert not any(name.startswith("on") for _, attributes in reader.tags for name in attributes)
    targets = [
        attributes[name]
        for _, attributes in reader.tags
        for name in ("href", "src", "action")
        if name in attributes
    ]
    assert all(target.startswith("/") and not target.startswith("//") for target in targets)


@pytest.mark.parametrize("path", PAGES)
async def test_what_a_model_or_a_file_said_is_text_and_never_markup(client, run, path):
    page = await page_of(client, path)

    assert EVIL not in page
    assert "\x00" not in page


async def test_the_policy_forbids_scripts_and_other_sites(client, run):
    policy = (await client.get("/")).headers["content-security-policy"]

    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert "unsafe" not in policy
    assert "http" not in policy


async def test_every_link_of_every_page_leads_somewhere(client, run):
    seen, open_paths = set(), ["/"]
    while open_paths:
        path = open_paths.pop()
        seen.add(path)
        answer = await client.get(path)
        assert answer.status_code == 200, path
        if answer.headers["content-type"].startswith("text/html"):
            links = [attributes.get("href") for _, attributes in Reader(answer.text).tags]
            open_paths += [link for link in links if link and link not in seen | set(open_paths)]

    assert len(seen) > 10


async def test_the_runs_are_listed_with_their_headline(client, run):
    page = await page_of(client, "/")

    assert f'href="/runs/{RUN}"' in page
    assert "hf:some/model" in page
    assert re.search(r"0\.400</b>\s*<span class=\"quiet\">accuracy, select</span>", page)


async def test_an_empty_list_says_how_to_make_a_run(client):
    assert "polysense run semrel" in await page_of(client, "/")


async def test_a_run_shows_n_coverage_interval_and_baselines(client, run):
    page = await page_of(client, f"/runs/{RUN}")

    for piece in ("0.500", "0.250", "0.750", "in 2 concepts", "99.9", "chance", "1 of 4 items"):
        assert piece in page, piece
    assert 'aria-label="0.500, 95 % interval 0.250 to 0.750"' in page
    assert "−0.500" in page


async def test_an_undefined_score_says_why(client, run):
    page = await page_of(client, f"/runs/{RUN}")

    assert "undefined" in page
    assert "no valid &lt;script&gt;" in page


async def test_a_run_tells_how_to_repeat_it(client, run):
    page = await page_of(client, f"/runs/{RUN}")

    assert (
        "polysense run dtails --model hf:some/model --language ar --language fa "
        "--data &#39;/data/a b&#39; --limit 4 --setting rules=none"
    ) in page


async def test_only_a_run_that_moves_is_loaded_again(client, run, database):
    at_rest = await page_of(client, f"/runs/{RUN}")
    await runs.set_status(database, RUN, "running", allowed_from=["finished"])
    moving = await page_of(client, f"/runs/{RUN}")

    assert 'http-equiv="refresh"' not in at_rest
    assert 'http-equiv="refresh"' in moving


@pytest.mark.parametrize(("number", "language"), [(0, "ar"), (1, "fa"), (2, "he")])
async def test_arabic_persian_and_hebrew_run_from_right_to_left(client, run, number, language):
    tags = Reader(await page_of(client, f"/runs/{RUN}/items/{number}")).tags

    directions = {(each.get("lang"), each.get("dir")) for _, each in tags if "lang" in each}
    assert (language, "rtl") in directions
    assert ("en", "ltr") in directions


async def test_an_item_shows_what_was_asked_answered_and_how_it_was_judged(client, run):
    page = await page_of(client, f"/runs/{RUN}/items/0")

    assert "Pick &lt;script&gt;" in page
    assert "كلمة \\u0000 \\ud800 end" in page
    assert "predicted" in page
    assert "seed2" in page


async def test_an_item_without_an_answer_says_what_went_wrong(client, run):
    page = await page_of(client, f"/runs/{RUN}/items/3")

    assert "TooSlowError" in page
    assert page.count(">unanswered<") == 2


async def test_items_can_be_filtered_and_the_choice_stays_on_the_next_page(client, run):
    page = await page_of(client, f"/runs/{RUN}/items?language=ar&status=right&task=&subset=")

    assert page.count('<th scope="row">') == 1
    assert "<option selected>ar</option>" in page
    assert "<option selected>right</option>" in page


async def test_pages_of_items_follow_each_other(client, run, monkeypatch):
    monkeypatch.setattr("services.metrics.page_routes.CASES_A_PAGE", 3)
    path, seen = f"/runs/{RUN}/items", []
    while path:
        page = await page_of(client, path)
        seen += re.findall(r"/items/(\d)\">", page)
        links = re.findall(r'href="([^"]+)">Next</a>', page)
        path = links[0].replace("&amp;", "&") if links else None

    assert seen == list("00112233")


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/runs/nothing", "no run &#39;nothing&#39;"),
        ("/runs/nothing/items", "no run &#39;nothing&#39;"),
        (f"/runs/{RUN}/items/4", "it has 0 to 3"),
        (f"/runs/{RUN}/items/99999999999999999999", "it has 0 to 3"),
    ],
)
async def test_what_is_not_there_is_a_page_too(client, run, path, sentence):
    answer = await client.get(path)

    assert answer.status_code == 404
    assert sentence in answer.text
    assert answer.headers["content-type"].startswith("text/html")


async def test_a_browser_without_the_key_is_asked_for_it(open_client, run):
    async with open_client(api_key="correct-horse") as client:
        answer = await client.get("/", headers={"Accept": "text/html"})
        login = await client.get("/login")
        style = await client.get("/static/style.css")

    assert (answer.status_code, answer.headers["location"]) == (303, "/login")
    assert login.status_code == style.status_code == 200
    assert RUN not in login.text


async def test_the_right_key_opens_the_pages_and_a_wrong_one_does_not(open_client, run):
    async with open_client(api_key="correct-horse") as client:
        refused = await client.post("/login", data={"key": "battery"})
        accepted = await client.post("/login", data={"key": " correct-horse "})
        page = await client.get("/", headers={"Accept": "text/html"})

    assert refused.status_code == 401
    assert "That is not the key" in refused.text
    cookie = accepted.headers["set-cookie"]
    assert accepted.status_code == 303
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "correct-horse" not in cookie
    assert RUN in page.text


async def test_a_login_from_another_site_is_refused(open_client):
    async with open_client(api_key="correct-horse") as client:
        headers = {"Origin": "http://elsewhere"}
        answer = await client.post("/login", data={"key": "correct-horse"}, headers=headers)

    assert answer.status_code == 403


async def test_without_a_key_there_is_nothing_to_log_in_to(client):
    assert (await client.get("/login")).headers["location"] == "/"
