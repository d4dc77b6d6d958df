"""Opens drawings and pages of hostile modules in a browser: nothing of a module may run there, and links lead to
places alone. Called by tests/browser/injection.bats: opens.py FILE... Status 1 with what is wrong; 4: no browser starts."""
import pathlib, sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "graph" / "page"))
from browser import Browser, Failure, Unusable

CONTROL = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">
<script>window.stolen=1</script><a xlink:href="javascript:1"><text>x</text></a></svg>"""

# The panel of a page shows a link for each file that a text of the module names.
LINKS = """[...document.querySelectorAll("a")].map((a) => a.href.baseVal === undefined ? a.href : a.href.baseVal)
    .concat(typeof sourceAddress === "function" ? app.m.strings.map((s) => sourceAddress(app.m, s, 3)).filter((s) => s) : [])
    .map((s) => new URL(s, document.baseURI).protocol).filter((p) => !["http:", "https:", "file:"].includes(p))"""


def faults(page, file):
    page.open(file)
    if page.value("window.stolen") is not None:
        yield "a script of the module ran"
    if links := page.value(LINKS):
        yield f"links {links}"


def main(files):
    control = "control.svg"
    pathlib.Path(control).write_text(CONTROL)
    with Browser() as browser:
        page, status = browser.page(), 0
        if len(list(faults(page, control))) != 2:
            raise Failure("what must be found is not found in " + control)
        for file in files:
            for fault in faults(page, file):
                print(f"{file}: {fault}")
                status = 1
    return status


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Unusable as unusable:
        print(unusable)
        sys.exit(4)
