"""A run's report in headless Chromium: nothing in the console, every chart there, nothing wider than the screen.

    python report_browser.py RUN_FOLDER [--shots FOLDER] [--chromium PROGRAM]

Needs the package `playwright` and Debian's `chromium`. Screenshots and a PDF are left in --shots for people to look at.
"""

import argparse
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

WIDTHS = (400, 1600)
SCHEMES = ("light", "dark")

# Labels of one chart whose boxes cover each other.
OVERLAPS = """() => [...document.querySelectorAll('svg.timeline')].flatMap(svg => {
  const boxes = [...svg.querySelectorAll('text.label, text.time, text.number')].map(t => [t.textContent, t.getBBox()]);
  return boxes.flatMap(([a, p], i) => boxes.slice(i + 1)
    .filter(([_, q]) => p.x < q.x + q.width && q.x < p.x + p.width && p.y < q.y + q.height && q.y < p.y + p.height)
    .map(([b]) => `${svg.querySelector('title').textContent}: "${a}" covers "${b}"`));
})"""

# Contrast of text against what is behind it (WCAG 2, relative luminance); SVG text is filled, other text coloured.
CONTRAST = """() => {
  const rgb = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => { const f = c => (c /= 255) <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4;
    return .2126 * f(r) + .7152 * f(g) + .0722 * f(b); };
  const behind = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor);
    if (c.length === 3 || c[3] > 0) return c; } return [255, 255, 255]; };
  const bad = [];
  for (const e of document.querySelectorAll('p,td,th,h1,h2,h3,a,dt,dd,code,span,summary,strong,text.lane,text.time,text.label')) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) continue;
    const style = getComputedStyle(e), own = rgb(e instanceof SVGElement ? style.fill : style.color);
    const [a, b] = [light(own), light(behind(e))].sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < 4.5) bad.push(`${e.tagName} ${e.getAttribute('class') || ''} "${e.textContent.slice(0, 30)}" ${((a + .05) / (b + .05)).toFixed(1)}`);
  }
  return bad;
}"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("run", type=Path)
    parser.add_argument("--shots", type=Path, default=Path("target/report-shots"))
    parser.add_argument("--chromium", default=shutil.which("chromium"))
    asked = parser.parse_args()
    if not asked.chromium:
        sys.exit("chromium is missing: apt-get install chromium")
    asked.shots.mkdir(parents=True, exist_ok=True)
    address = (asked.run / "report.html").resolve().as_uri()
    problems = []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=asked.chromium, args=["--no-sandbox"])
        for width in WIDTHS:
            for scheme in SCHEMES:
                found = look(browser, address, width, scheme, asked.shots)
                problems += [f"{width} px {scheme}: {problem}" for problem in found]
        problems += prints(browser, address, asked.shots)
        browser.close()
    print("\n".join(problems) or f"report: charts, console, widths, contrast and print are in order; pictures in {asked.shots}")
    return 1 if problems else 0


def look(browser, address, width, scheme, shots):
    """One width and colour scheme: what is wrong with it."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    said, asked = [], []
    page.on("console", lambda message: said.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    # Folded parts are looked at too.
    page.eval_on_selector_all("details", "all => all.forEach(d => d.open = true)")
    problems = said + [f"loads {url}" for url in asked if url != address and not url.startswith("data:")]
    problems += charts(page) + page.evaluate(OVERLAPS) + page.evaluate(CONTRAST)
    wide = page.evaluate("document.documentElement.scrollWidth")
    if wide > width:
        problems.append(f"the page is {wide} px wide")
    seen = page.evaluate("getComputedStyle(document.body).backgroundColor")
    if (seen == "rgb(255, 255, 255)") != (scheme == "light"):
        problems.append(f"background is {seen}")
    if page.locator(".lead").bounding_box()["y"] > 900:
        problems.append("the contradiction is not on the first screen")
    page.reload()
    page.screenshot(path=shots / f"report-{width}-{scheme}.png", full_page=True)
    page.locator("section.trial", has=page.locator(".retry rect")).first.screenshot(path=shots / f"trial-{width}-{scheme}.png")
    context.close()
    return problems


def charts(page):
    """Every trial has a chart with title and description; a trial under treatment shows what the study is about."""
    problems = []
    trials = page.locator("section.trial")
    if trials.count() == 0:
        return ["no trial"]
    for i in range(trials.count()):
        trial = trials.nth(i)
        name = trial.get_attribute("id")
        for part in ("title", "desc"):
            texts = trial.locator(f"svg[role=img] > {part}").all_text_contents()
            if len(texts) != 1 or not texts[0].strip():
                problems.append(f"{name}: {part} of the chart: {texts}")
        if "COMMIT_THEN_TIMEOUT" not in trial.locator("h3").inner_text():
            continue
        wanted = [".deadline line", ".held rect", ".m.commit rect"] + ([] if "probe" in name else [".retry rect"])
        problems += [f"{name}: no {what}" for what in wanted if trial.locator(f"svg[role=img] {what}").count() == 0]
        for told in ["deadline", "held"]:
            labels = trial.locator("svg[role=img] text.label", has_text=told)
            if labels.count() == 0:
                problems.append(f"{name}: {told} is not labelled")
    if page.locator("#verdicts + div tbody tr").count() == 0:
        problems.append("no verdict table")
    return problems


def prints(browser, address, shots):
    """A4 paper: no chart is wider than the page, folded parts are on it."""
    page = browser.new_page(viewport={"width": 718, "height": 1000})
    page.goto(address)
    page.emulate_media(media="print")
    wide = page.evaluate("Math.max(...[...document.querySelectorAll('svg.timeline')].map(s => s.getBoundingClientRect().right))")
    problems = [f"print: a chart ends at {wide:.0f} px of 718"] if wide > 718 else []
    pdf = page.pdf(path=shots / "report.pdf", format="A4", margin={side: "12mm" for side in ("top", "right", "bottom", "left")})
    if not pdf.startswith(b"%PDF") or len(pdf) < 20_000:
        problems.append(f"print: {len(pdf)} bytes are no report")
    page.close()
    return problems


if __name__ == "__main__":
    sys.exit(main())
