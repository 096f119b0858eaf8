"""The page in a real browser: layout at two widths, both colour schemes, sorting, paper, no traffic."""

import re
import shutil

import numpy as np
import pytest

from treatise import report
from treatise.report import RunRecord

pytestmark = pytest.mark.browser

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
# Words of the schema, which no file can choose.
FIXED = {"status", "task", "standing", "kind", "started", "key", "copy_of", "stage", "params"}
HOSTILE = '"><img src=x onerror="document.title=1"><script>document.title=1</script>{{7*7}}]]>' + "W" * 300

# Every text with less contrast than WCAG AA asks of small text, against the nearest painted background.
WEAK_CONTRAST = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return canvas.getImageData(0, 0, 1, 1).data;
  };
  const luminance = ([r, g, b]) => {
    const linear = (v) => ((v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  };
  const background = (element) => {
    for (; element; element = element.parentElement) {
      const colour = rgba(getComputedStyle(element).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return rgba("white");
  };
  const weak = [];
  for (const element of document.querySelectorAll("body *")) {
    const words = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!words || element.matches("script, title, .unseen") || !element.getClientRects().length) continue;
    const style = getComputedStyle(element);
    const front = luminance(rgba(element.ownerSVGElement ? style.fill : style.color));
    const back = luminance(background(element));
    const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    if (ratio < 4.5) weak.push(`${element.textContent.trim().slice(0, 30)}: ${ratio.toFixed(2)}`);
  }
  return weak;
}"""


@pytest.fixture(scope="module")
def browser():
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        pytest.skip("no Chromium on this machine: the page is not tried in a browser")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Opens a run's page; at the end nothing but the file was fetched and the console is empty."""
    contexts, requests, complaints = [], [], []

    def open_page(run, width=1280, scheme="light"):
        path = tmp_path / f"report{len(contexts)}.html"
        report.write_report(RunRecord.from_plain(run), path)
        contexts.append(browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme))
        page = contexts[-1].new_page()
        page.on("request", lambda request: requests.append(request.url))
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.goto(path.as_uri())
        return page

    yield open_page
    assert [url for url in requests if not url.startswith((tmp_path.as_uri(), "data:,"))] == []
    assert len([url for url in requests if url.startswith("file:")]) == len(contexts)
    assert complaints == []
    for context in contexts:
        context.close()


def column(page, class_):
    """The cells of one column of the ten best."""
    return [text.strip() for text in page.locator(f"#leaderboard > table tbody .{class_}").all_inner_texts()]


def names_of(page):
    """The methods of the ten best, in the order shown, without their tags."""
    return page.locator("#leaderboard > table tbody .method > bdi").all_inner_texts()


@pytest.mark.parametrize("width", [1280, 360])
def test_page_fits_the_window_and_figures_are_drawn(opened, run, width):
    page = opened(run, width)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    sizes = page.evaluate(
        """[...document.querySelectorAll("svg.row-figure, svg.chart, svg.share-bar, svg.axis")]
           .filter((figure) => figure.getClientRects().length)
           .map((figure) => figure.getBoundingClientRect()).map((box) => [box.width, box.height])"""
    )
    assert all(across > 50 and down >= 10 for across, down in sizes)
    if run["leaderboard"]:
        assert len(sizes) > len(run["leaderboard"])
        assert page.locator(".chart.wide").is_visible() == (width == 1280)
        assert page.locator(".chart.narrow").is_visible() == (width == 360)


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("name", ["binary", "regression"])
def test_no_hostile_name_anywhere_runs_or_widens_the_page(opened, named_run, name, width):
    page = opened(with_hostile_names(named_run(name)), width)
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def with_hostile_names(
    value, fixed=("status", "task", "standing", "kind", "started", "key", "copy_of", "stage", "params")
):
    """A run in which every text that a file could hold is hostile."""
    if isinstance(value, dict):
        return {key: value[key] if key in fixed else with_hostile_names(value[key]) for key in value}
    if isinstance(value, list):
        return [with_hostile_names(item) for item in value]
    return HOSTILE if isinstance(value, str) else value


@pytest.mark.parametrize("width", [1280, 390])
def test_hostile_and_long_names_neither_run_nor_widen_the_page(opened, named_run, width):
    run = named_run("multiclass")
    run["data"] |= {"name": HOSTILE, "target": HOSTILE, "classes": [HOSTILE + str(i) for i in range(10)]}
    run["data"] |= {"notes": [HOSTILE], "dropped": [{"column": HOSTILE, "reason": HOSTILE}]}
    run |= {"command": HOSTILE, "verdict": [HOSTILE, HOSTILE]}
    run["best"]["confusion"]["labels"] = run["data"]["classes"]
    for part in [*run["leaderboard"], *run["methods"], run["best"], *run["best"]["calibration"]]:
        part["label"] = HOSTILE
    for method in run["importance"]:
        for effect in method["columns"]:
            effect["column"] = HOSTILE
    page = opened(run, width)
    assert page.title().startswith('"><img src=x')
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_policy_of_the_page_stops_a_script_that_got_in(browser, named_run, tmp_path):
    report.write_report(RunRecord.from_plain(named_run("empty")), tmp_path / "report.html")
    page = browser.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    policy = page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    blocked = page.evaluate(
        """() => new Promise((resolve) => {
             document.addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective));
             const script = document.createElement("script");
             script.textContent = "document.title = 'broken in'";
             document.body.append(script);
             setTimeout(() => resolve("nothing"), 2000);
           })"""
    )
    assert blocked == "script-src-elem"
    assert "broken in" not in page.title()
    page.close()


def test_scores_sort_in_both_directions_by_click(opened, named_run):
    page = opened(named_run("binary"))
    by_rank = column(page, "method")
    heading = page.locator("#leaderboard > table thead th.score")
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    assert page.locator("#leaderboard > table thead th.rank").get_attribute("aria-sort") == "none"
    assert column(page, "method") == by_rank
    assert page.locator("#sorted").text_content() == "Sorted by ROC AUC, descending."
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    assert column(page, "method") == by_rank[::-1]
    scores = [float(text) for text in column(page, "score")]
    assert scores == sorted(scores)


def test_sorting_works_by_keyboard_and_on_a_phone(opened, named_run):
    run = named_run("regression")
    page = opened(run, 390)
    button = page.locator("#leaderboard > table thead th.time").get_by_role("button")
    button.focus()
    page.keyboard.press("Enter")
    quick_first = [r["label"] for r in sorted(run["leaderboard"][:10], key=lambda r: r["fit_seconds"])]
    assert names_of(page) == quick_first
    page.keyboard.press("Space")
    assert names_of(page) == quick_first[::-1]


def test_less_is_better_sorts_least_first_and_names_sort_as_text(opened, named_run):
    page = opened(named_run("multiclass"))
    page.locator("#leaderboard > table thead th.score").get_by_role("button").click()
    scores = [float(text) for text in column(page, "score")]
    assert scores == sorted(scores)
    page.locator("#leaderboard > table thead th.method").get_by_role("button").click()
    names = [name.lower() for name in names_of(page)]
    assert names == sorted(names)


def test_a_method_without_a_score_stays_last_in_either_order(opened, named_run):
    page = opened(named_run("interrupted"))
    button = page.locator("#leaderboard > table thead th.score").get_by_role("button")
    for _ in range(2):
        button.click()
        assert column(page, "score")[-1] == "–"
        assert column(page, "score")[0] != "–"


def test_the_table_of_all_measures_sorts_too(opened, named_run):
    page = opened(named_run("binary"))
    page.get_by_text("All measures", exact=True).click()
    page.get_by_role("button", name="Log loss").click()
    losses = [float(v) for v in page.locator(".measures tbody td:nth-child(4)").all_inner_texts()]
    assert len(losses) == 13
    assert losses == sorted(losses, reverse=True)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["binary", "multiclass", "regression", "interrupted", "failed", "crowded"])
def test_text_has_enough_contrast(opened, named_run, name, scheme):
    page = opened(named_run(name), scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    assert page.evaluate(WEAK_CONTRAST) == []
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0] < 60")
    assert dark == (scheme == "dark")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_counts_can_be_read_on_every_shade(opened, named_run, scheme):
    run = named_run("multiclass")
    # Of 100 rows of each class, ever more are right and the others are taken for the next class.
    matrix = np.zeros((20, 20), dtype=int)
    matrix[np.arange(20), np.arange(20)] = np.arange(1, 101, 5)
    matrix[np.arange(20), (np.arange(20) + 1) % 20] = 100 - np.arange(1, 101, 5)
    run["best"]["confusion"] = {"labels": [str(i) for i in range(20)], "matrix": matrix.tolist()}
    page = opened(run, scheme=scheme)
    for kind in ("right", "wrong"):
        shades = page.evaluate(
            f"new Set([...document.querySelectorAll('td.{kind}')].map((cell) => cell.className)).size"
        )
        assert shades >= 9
    assert page.evaluate(WEAK_CONTRAST) == []


def test_labels_of_the_scatter_do_not_cover_one_another(opened, named_run):
    page = opened(named_run("binary"))
    boxes = page.evaluate(
        """[...document.querySelectorAll(".chart.wide .label")].map((label) => label.getBoundingClientRect())
           .map((box) => [box.left, box.top, box.right, box.bottom])"""
    )
    frame = page.evaluate("(({left, right}) => [left, right])(document.querySelector('main').getBoundingClientRect())")
    assert len(boxes) == 13
    for i, (left, top, right, bottom) in enumerate(boxes):
        assert frame[0] <= left
        assert right <= frame[1]
        for other in boxes[:i]:
            # Line boxes include a few pixels of leading above and below the letters.
            apart = left >= other[2] or other[0] >= right or top + 4 >= other[3] or other[1] + 4 >= bottom
            assert apart, (boxes[i], other)


def test_a_link_to_a_paper_opens_its_method(opened, named_run):
    page = opened(named_run("binary"))
    link = page.locator("#leaderboard > table .paper a").first
    target = page.locator(link.get_attribute("href"))
    assert target.get_attribute("open") is None
    link.click()
    assert target.get_attribute("open") is not None
    assert target.locator("cite").is_visible()


def test_paper_holds_the_first_ten_of_a_hundred_methods(opened, named_run):
    page = opened(named_run("crowded"))
    printed = page.pdf()
    assert printed.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) <= 14
    page.emulate_media(media="print")
    assert page.locator(".leaderboard").first.is_visible()
    assert not page.locator(".rest table").first.is_visible()
    page.locator(".rest summary").first.click()
    assert page.locator(".rest table").first.is_visible(), "what is opened on the screen is printed"


def test_table_roles_survive_the_phone_layout(opened, named_run):
    page = opened(named_run("binary"), 390)
    table = page.get_by_role("table", name="Methods by ROC AUC")
    assert table.get_by_role("row").count() == 11
    assert table.get_by_role("rowheader").count() == 10
    assert table.get_by_role("columnheader").count() == 8


def outcome(page):
    """What the page says at the chosen threshold: found, missed, alarms, rejected."""
    cells = ("found", "missed", "alarms", "rejected")
    return [int(page.locator(f"#at-{cell}").inner_text().replace(",", "")) for cell in cells]


def test_the_threshold_moves_by_slider_keys_and_marks(opened, named_run):
    run = named_run("binary")
    curve = run["thresholds"][0]
    page = opened(run)
    slider = page.get_by_role("slider")
    assert page.locator("#threshold-value").inner_text() == f"{curve['best_f1']:#.3g}"

    def expected(place):
        found = round(curve["true_positive_rate"][place] * curve["positives"])
        alarms = round(curve["false_positive_rate"][place] * curve["negatives"])
        return [found, curve["positives"] - found, alarms, curve["negatives"] - alarms]

    assert outcome(page) == expected(curve["thresholds"].index(curve["best_f1"]))
    page.get_by_role("button", name="Youden").click()
    youden = curve["thresholds"].index(curve["youden"])
    assert outcome(page) == expected(youden)
    slider.focus()
    page.keyboard.press("ArrowRight")
    # To the right thresholds grow: fewer rows are called so.
    assert outcome(page) == expected(youden - 1)
    assert slider.get_attribute("aria-valuetext").startswith("threshold ")
    page.keyboard.press("End")
    assert outcome(page) == expected(0)
    page.keyboard.press("Home")
    assert outcome(page) == [curve["positives"], 0, curve["negatives"], 0]
    assert page.locator("#at-recall").inner_text() == "100.0 %"


def test_the_chosen_point_lies_on_the_curve_of_the_chosen_method(opened, named_run):
    run = named_run("binary")
    page = opened(run)
    page.get_by_label("Method", exact=True).select_option(index=2)
    other = run["thresholds"][2]
    place = other["thresholds"].index(other["best_f1"])
    dot = page.locator(".chosen").first.evaluate(
        """(dot) => [(dot.cx.baseVal.value - dot.dataset.left) / (dot.dataset.right - dot.dataset.left),
                     (dot.cy.baseVal.value - dot.dataset.bottom) / (dot.dataset.top - dot.dataset.bottom)]"""
    )
    # The page keeps a tenth of a pixel of some three hundred.
    assert dot == pytest.approx([other["false_positive_rate"][place], other["true_positive_rate"][place]], abs=1e-3)
    assert page.locator(".curve-marks.on").evaluate_all("(marks) => marks.map((g) => g.dataset.method)") == ["2", "2"]


def test_without_a_script_the_thresholds_are_a_table(browser, named_run, tmp_path):
    report.write_report(RunRecord.from_plain(named_run("binary")), tmp_path / "report.html")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    assert not page.locator("#chooser").is_visible()
    assert not page.locator("button.copy").first.is_visible()
    page.get_by_text("Thresholds as a table").click()
    assert page.locator(".threshold-tables tbody tr.marked").first.is_visible()
    context.close()


def test_a_reference_can_be_copied(opened, named_run):
    page = opened(named_run("binary"))
    method = page.locator(".methods > details[open]")
    method.get_by_text("BibTeX", exact=True).click()
    page.evaluate("navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }")
    method.get_by_role("button", name="Copy").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("copied").startswith("@article{pedregosa2011scikit,")


def test_near_copies_unfold_by_keyboard(opened, named_run):
    page = opened(named_run("binary"))
    summary = page.locator(".copies > summary").first
    summary.focus()
    page.keyboard.press("Enter")
    assert page.locator(".copies li").first.is_visible()


def test_print_hides_what_needs_a_hand(opened, named_run):
    page = opened(named_run("crowded"))
    page.emulate_media(media="print")
    assert not page.locator("#chooser").is_visible()
    assert not page.locator("button.copy").first.is_visible()
    assert not page.locator("nav").is_visible()
