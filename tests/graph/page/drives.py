"""Drives pages of hlo-dot -T html in a browser and looks at what is on the screen. Called by tests/graph/page.bats:
drives.py PAGE=CASE,... Prints what is wrong; status 1 then, UNUSABLE where the browser does not start."""
import sys
from browser import Browser, Failure, Unusable

UNUSABLE = 4


def expect(is_so, what):
    if not is_so:
        raise Failure(what)


def equal(got, wanted, what):
    expect(got == wanted, f"{what}: {got!r} instead of {wanted!r}")


def place_of(page, name):
    """Of the middle of an instruction's box in the window."""
    return page.value(f"""(() => {{ const id = app.m.names.indexOf({name!r}), c = app.view.canvas.getBoundingClientRect();
        for (const frame of app.root.all()) {{ const box = frame.base.boxOf.get(id); if (box === undefined) continue;
            const r = frame.boxRect(box), at = app.view.toScreen(r.x + r.w / 2, r.y + Math.min(r.h / 2, 12)); return [at.x + c.x, at.y + c.y]; }}
        return null; }})()""")


def shown(page, name):
    return place_of(page, name) is not None


def colours_near(page, x, y, reach=60):
    """Different colours on the drawing around a place."""
    return page.value(f"""(() => {{ const c = document.getElementById("scene"), r = c.getBoundingClientRect();
        const d = c.getContext("2d").getImageData({x} - r.x - {reach}, {y} - r.y - {reach}, {2 * reach}, {2 * reach}).data, set = new Set();
        for (let i = 0; i < d.length; i += 4) set.add(d[i] + "," + d[i + 1] + "," + d[i + 2]);
        return [...set]; }})()""")


def edge_colour(page, name, kind):
    hexadecimal = page.value(f"app.colours.sheet.{kind}")
    wanted = ",".join(str(int(hexadecimal[at:at + 2], 16)) for at in (1, 3, 5))
    expect(wanted in colours_near(page, *place_of(page, name)), f"{name} is not drawn as {kind} ({wanted})")


# ---- cases: each has the page of the module that tests/browser/page.bats makes for it ----

def opens(page):
    equal(page.text("#module-name"), "sample", "the module's name")
    equal(page.value("document.title"), "sample - HLO", "the title")
    for name in ("x", "f", "loop", "dot.1"):
        expect(shown(page, name), f"{name} has no box")
    expect(not shown(page, "half"), "an inlined constant has a box")
    expect("operand 1 = 2" in page.value("app.m.line_strings.join()"), "constants are not in their users' boxes")
    expect("reduce" in page.text("#panel"), "the panel has no histogram")
    expect("reducer: add" in page.value("app.m.line_strings.join()"), "the reducer is not a line")
    equal(page.value("document.elementFromPoint(700, 500).id"), "scene", "what is in the middle")
    x, y = place_of(page, "dot.1")
    expect(len(colours_near(page, x, y)) > 4, "nothing is drawn where dot.1 is")
    names = page.text("#tree").split("\n")
    expect({"main", "fused", "body", "cond"} <= set(names), f"the list of computations: {names}")


def selects(page):
    page.click(*place_of(page, "dot.1"))
    panel = page.text("#panel")
    for part in ("dot.1", "lhs_contracting_dims={1}", "scope/product", "model.py:12", "FLOPS", "128", "x", "f"):
        expect(part in panel or part in panel.upper(), f"the panel lacks {part}: {panel}")
    equal(page.value("document.querySelector('.source a').getAttribute('href')"), "model.py#L12", "the address of the source")
    edge_colour(page, "dot.1", "selected")
    edge_colour(page, "f", "operand")
    edge_colour(page, "r", "user")
    equal(page.text("#said"), "dot.1, dot, f32[4,4]{1,0}", "what is said aloud")
    page.click_on("#panel .links button")
    expect("full-name" and page.text("#panel .full-name") == "f", "the first operand's link leads elsewhere")
    page.click(300, 120)
    equal(page.value("app.selection"), None, "the selection after a click beside all boxes")


def opens_in_place(page):
    before = place_of(page, "f")
    below = place_of(page, "dot.1")
    page.click(*before, times=2)
    expect(shown(page, "m"), "the fusion's body is not shown after a double click")
    expect(place_of(page, "dot.1")[1] > below[1] - 1, "what is below has not moved down")
    page.click(*place_of(page, "p"))
    edge_colour(page, "x", "operand")
    equal([crumb.strip() for crumb in page.text("#crumbs").split("\n")], ["main", "fused"], "the crumbs")
    page.key("u")
    equal(page.text("#panel .full-name"), "f", "the caller")
    page.key("Enter")
    expect(not shown(page, "m"), "Enter does not close")
    page.key("Enter")
    expect(shown(page, "m"), "Enter does not open")
    page.key("c")
    expect(not shown(page, "m"), "c does not close all")
    page.click_on("#tree .row", 1)
    expect(page.text("#crumbs").split("\n")[-1] != "main", "a click on a computation does not show it")
    page.key("u")
    equal(page.text("#crumbs"), "main", "the crumbs after going to the caller")


def opens_loops(page):
    page.click(*place_of(page, "loop"), times=2)
    for name in ("next", "lt"):
        expect(shown(page, name), f"{name} of the loop is not shown")
    page.value("app.closeAll()")
    page.click(*place_of(page, "loop"))
    page.click_on("#panel .actions button", 1)
    expect(shown(page, "next"), "the button of the panel does not open")
    equal(page.text("#panel .actions").split("\n")[1], "Close", "the button then")
    page.key("o")
    equal(page.text("#crumbs").split("\n"), ["main", "body"], "the crumbs of a computation alone")


def searches(page):
    page.key("/")
    equal(page.value("document.activeElement.id"), "search", "the focus after /")
    page.type("multiply")
    equal(page.text("#search-note"), "1 of 29 instructions", "what is found")
    page.key("Enter")
    expect(shown(page, "m"), "what is found inside of a fusion is not shown")
    equal(page.text("#panel .full-name"), "m", "what is selected")
    page.key("Escape")
    equal(page.value("document.getElementById('search').value"), "", "the search after Esc")
    for query, count in (("op:dot", 1), ("scope:product", 1), ("shape:pred", 1), ("name:loop", 1), ("f32[4,4] dot", 1), ("zebra", 0)):
        page.key("/")
        page.type(query)
        found = page.value("app.search.found.length")
        equal(found, count, f"instructions for {query!r} ({page.text('#search-note')})")
        page.key("Escape")
    page.key("/")
    page.type("param")
    rows = page.value("document.querySelectorAll('#results .row').length")
    expect(rows > 1, "parameters are not listed")
    page.key("ArrowDown")
    page.key("Enter")
    equal(page.text("#panel .full-name"), page.text("#results .current .name"), "the second result")


def keys(page):
    page.click(*place_of(page, "dot.1"))
    page.key("ArrowUp")
    equal(page.text("#panel .full-name"), "f", "up, to operand 0")
    page.key("ArrowRight")
    equal(page.text("#panel .full-name"), "y", "right, to operand 1")
    page.key("ArrowDown")
    equal(page.text("#panel .full-name"), "dot.1", "down, to a user")
    scale = page.value("app.view.camera.scale")
    page.key("+")
    expect(page.value("app.view.camera.scale") > scale, "+ does not zoom in")
    page.key("-")
    page.key("-")
    expect(page.value("app.view.camera.scale") < scale, "- does not zoom out")
    page.key("f")
    expect(abs(page.value("app.view.camera.scale - Math.max(app.view.fitScale(), 0)")) < 1e-9, "f does not fit")
    page.key("?")
    expect(page.value("document.getElementById('help').open"), "? shows no help")
    page.key("Escape")
    expect(not page.value("document.getElementById('help').open"), "Esc does not close the help")
    page.key("Escape")
    equal(page.value("app.selection"), None, "the selection after Esc")


def moves(page):
    before = page.value("[app.view.camera.x, app.view.camera.scale]")
    page.drag(500, 700, 600, 650)
    after = page.value("[app.view.camera.x, app.view.camera.scale]")
    expect(abs(before[0] - after[0] - 100 / before[1]) < 8 / before[1], f"a drag moved from {before} to {after}")
    page.wheel(700, 400, -300)
    expect(page.value("app.view.camera.scale") > after[1], "the wheel does not zoom")
    at = page.value("(() => { const r = document.getElementById('map').getBoundingClientRect(); return [r.x + 20, r.y + 20]; })()")
    x = page.value("app.view.camera.x")
    page.click(*at)
    expect(page.value("app.view.camera.x") != x, "the overview does not move the drawing")
    page.click_on("#fit")


def dark(page):
    light = page.pixel(320, 120)
    expect(min(light) > 200, f"the sheet is {light} by day")
    page.prefer("dark")
    expect(max(page.pixel(320, 120)) < 60, f"the sheet is {page.pixel(320, 120)} in dark mode")
    expect(page.value("getComputedStyle(document.body).color").startswith("rgb(232"), "text stays dark")
    page.click_on("#theme")
    equal(page.pixel(320, 120), light, "the sheet after the toggle")
    page.prefer("light")
    page.value("app.setColour('flops')")
    expect("from" in page.text("#legend"), "the legend of heat")


def far(page):
    """A tuple of what is 30 rows above it, 15 rows, and one."""
    name = lambda: page.text("#panel .full-name")
    stubs = lambda: page.value("app.scene.stubs.places.map((stub) => [stub.text, app.m.names[stub.frame.base.id[stub.box]]])")
    go = lambda to: (page.value(f"app.goTo(app.m.names.indexOf('{to}'))"), page.settle())
    go("t")
    equal(sorted(stubs()), [["\u2191 0: x", "x"], ["\u2191 1: n15", "n15"]], "the labels of far operands")
    for key, wanted in (("a", "x"), ("a", "n15"), ("a", "t"), ("a", "x"), ("A", "t"), ("A", "n15"), ("A", "x")):
        page.key(key)
        equal(name(), wanted, "the next far operand")
    equal(stubs(), [["\u2193 t", "t"]], "the label of a far user")
    for wanted in ("t", "x", "t"):
        page.key("b")
        equal(name(), wanted, "the next far user")
    page.key("b")
    equal(name(), "x", "where the jumps began")
    go("n15")
    page.key("a")
    equal(name(), "n15", "what has no far operand")
    equal(page.text("#said"), "no far operand of n15", "what is said aloud")
    go("t")
    x, y = page.value("""(() => { const stub = app.scene.stubs.places.find((one) => one.text.endsWith("n15")), c = app.view.canvas.getBoundingClientRect();
        const at = app.view.toScreen(stub.x + stub.w / 2, stub.y + stub.h / 2); return [at.x + c.x, at.y + c.y]; })()""")
    hexadecimal = page.value("app.colours.sheet.operand")
    expect(",".join(str(int(hexadecimal[at:at + 2], 16)) for at in (1, 3, 5)) in colours_near(page, x, y), "no label is drawn")
    page.click(x, y)
    equal(name(), "n15", "what a click on a label selects")
    expect(place_of(page, "n15")[1] > 0, "it is not in sight")
    page.key("Escape")
    equal(stubs(), [], "labels without a selection")


def many_far(page):
    page.value("app.goTo(app.m.names.indexOf('x'))")
    page.settle()
    equal(page.value("app.scene.stubs.places.length"), 6, "labels of far users")
    equal(page.value("farEnds(app.marks, 'user').length"), 20, "far users")


def folds(page):
    rows = lambda: page.value("[...document.querySelectorAll('#tree .row')].map((row) => row.innerText.replace(/\\s+/g, ' ').trim())")
    folded = rows()
    expect(not any(row.startswith("region_") for row in folded), f"reducers are listed: {folded}")
    equal(folded[-1], "\u25b8 reducers, comparators 10", "the row that stands for them")
    page.click_on("#tree .row", len(folded) - 1)
    equal(len([row for row in rows() if row.startswith("region_")]), 10, "reducers after a click")
    equal(len(rows()), len(folded) + 10, "all rows")
    page.click_on("#tree .row", len(rows()) - 1)
    equal(rows(), folded, "the rows after another click")
    page.value("app.goTo(app.m.computations.find((c) => c.does !== undefined).root)")
    expect(any(row.startswith("region_") for row in rows()), "the reducer that is shown is not listed")


# ---- comparisons ----

CHANGES = {"same": 0, "changed": 1, "added": 2, "removed": 3}


def fill_of(page, name):
    """The colour in a box, where no text is."""
    x, y = page.value(f"""(() => {{ const id = app.m.names.indexOf({name!r}), c = app.view.canvas.getBoundingClientRect();
        for (const frame of app.root.all()) {{ const box = frame.base.boxOf.get(id); if (box === undefined) continue;
            const r = frame.boxRect(box), at = app.view.toScreen(r.x + r.w - 8, r.y + r.h - 6); return [at.x + c.x, at.y + c.y]; }} }})()""")
    return "#" + "".join(f"{part:02x}" for part in page.pixel(round(x), round(y)))


def added(page):
    equal(page.value("document.getElementById('colour').value"), "change", "the colours that come first")
    for name, kind in (("x", "same"), ("r", "changed"), ("neg", "added")):
        equal(fill_of(page, name), page.value(f"app.m.change_styles[{CHANGES[kind]}][1]"), f"the colour of {name}")
    inside = page.value("INSIDE_STYLE[1]")
    equal([fill_of(page, "f"), fill_of(page, "loop")], [inside, inside], "the colours of what calls what differs")
    legend = page.text("#legend").split("\n")
    equal(legend, ["changed", "only in this module", "unchanged, but what it calls differs", "unchanged"], "the legend")
    rows = [page.value(f"[...document.querySelectorAll('#tree .row')].map((row) => row.innerText.replace(/\\s+/g, ' ').trim())")][0]
    expect("main 12 ~1 +1" in rows and "fused 4 ~1" in rows and "body 8 +1" in rows and "cond 4" in rows, f"the list: {rows}")
    page.click(*place_of(page, "r"))
    panel = page.text("#panel")
    for part in ("changed", "dimensions: dimensions={0} became dimensions={1}", "BEFORE", "dimensions={0}, to_apply=%add"):
        expect(part in panel, f"the panel lacks {part}: {panel}")
    page.click(*place_of(page, "loop"))
    expect("unchanged, but what it calls differs" in page.text("#panel"), "the panel of the loop")
    page.value("(() => { const order = document.getElementById('order'); order.value = 'differences'; order.dispatchEvent(new Event('change')); })()")
    equal(page.text("#tree .row .name"), "main", "the computation with most differences")


def steps(page):
    equal(page.text("#difference-place"), "4 differences", "their number")
    seen = []
    for _ in range(5):
        page.key("n")
        seen.append(page.text("#panel .full-name"))
    equal(seen, ["neg", "r", "two", "w0", "neg"], "the differences in their order")
    expect(shown(page, "two") and shown(page, "w0"), "what differs inside is not opened")
    equal(page.text("#difference-place"), "1 of 4 differences", "the place among them")
    page.key("p")
    equal(page.text("#panel .full-name"), "w0", "the one before")
    page.click_on("#difference-next")
    equal(page.text("#panel .full-name"), "neg", "the next by its button")
    equal(page.text("#said"), "neg, negate, f32[4,4]{1,0}, added", "what is said aloud")
    page.click_on("#tree .row", 1)
    page.key("Escape")
    page.key("n")
    equal(page.text("#panel .full-name"), "two", "the first of what is shown")


def searches_differences(page):
    for query, names in (("is:added", ["w0", "neg"]), ("is:changed", ["two", "r"]), ("is:removed", []), ("is:different op:constant", ["two"])):
        page.key("/")
        page.type(query)
        equal(page.value("app.search.found.map((id) => app.m.names[id])"), names, query)
        page.key("Escape")


def dark_differences(page):
    light = [fill_of(page, name) for name in ("x", "r", "neg")]
    page.click_on("#theme")
    now = [fill_of(page, name) for name in ("x", "r", "neg")]
    equal(len({*light, *now}), 6, f"different colours, {light} and {now}")
    chip = page.value("getComputedStyle(document.querySelector('#tree .chip')).backgroundColor")
    expect(chip not in ("rgb(255, 224, 138)", "rgba(0, 0, 0, 0)"), f"chips stay as by day: {chip}")


def removed(page):
    equal(fill_of(page, "neg"), page.value("app.m.change_styles[3][1]"), "the colour of what is gone")
    page.click(*place_of(page, "neg"))
    edge_colour(page, "y", "operand")
    edge_colour(page, "dot.1", "user")
    panel = page.text("#panel")
    for part in ("only in the other module", "negate(%y)", "OPERANDS (1)", "USERS (1)", "before"):
        expect(part in panel, f"the panel lacks {part}: {panel}")
    page.key("ArrowDown")
    equal(page.text("#panel .full-name"), "dot.1", "down, to what used it")
    page.key("/")
    page.type("is:removed")
    equal(page.text("#search-note"), "2 of 31 instructions", "what is gone")


def removed_fusion(page):
    page.value("app.goTo(app.m.names.lastIndexOf('f'))")
    expect("only in the other module" in page.text("#panel"), "the removed fusion")
    page.key("Enter")
    expect(shown(page, "m"), "its body does not open")
    equal(fill_of(page, "m"), page.value("app.m.change_styles[3][1]"), "the colour of what it did")
    page.key("o")
    expect("only the other module has this computation" in page.text("#panel"), "its computation alone")


def no_differences(page):
    equal(page.text("#difference-place"), "no differences", "the number of none")
    expect(page.value("document.getElementById('difference-next').disabled"), "there is a next one")
    page.key("n")
    equal(page.value("app.selection"), None, "what n selects")


def times(page):
    equal(page.value("document.getElementById('colour').value"), "seconds", "the colours that come first")
    equal(fill_of(page, "dot.1"), page.value("app.m.heat[5]"), "the colour of what took longest")
    equal(fill_of(page, "y"), page.value("app.m.heat[6]"), "the colour of what was not measured")
    legend = page.text("#legend")
    expect("not measured" in legend and "from 188" in legend, f"the legend: {legend}")
    page.click(*place_of(page, "dot.1"))
    expect("750\u00a0ms (75\u00a0%)" in page.text("#panel"), f"the time of the product: {page.text('#panel')}")
    page.click(*place_of(page, "y"))
    expect("not measured: the profile does not name it" in page.text("#panel"), "what was not measured")
    page.click(*place_of(page, "loop"))
    panel = page.text("#panel")
    expect("with what it calls" in panel and "250\u00a0ms" in panel and "by itself" in panel, f"the time of the loop: {panel}")
    page.value("(() => { const order = document.getElementById('order'); order.value = 'seconds'; order.dispatchEvent(new Event('change')); })()")
    rows = page.value("[...document.querySelectorAll('#tree .row')].slice(0, 2).map((row) => row.innerText.replace(/\\s+/g, ' ').trim())")
    equal(rows, ["main 11 1 s", "body 7 250 ms"], "computations by time")
    page.key("Escape")
    expect("MOST TIME" in page.text("#panel").upper(), "what took longest in the computation")


WIDER = """(() => {
    const scene = app.scene, ctx = scene.ctx, draw = ctx.fillText.bind(ctx), boxText = scene.boxText.bind(scene), wider = [];
    let edge = 0, texts = 0;
    ctx.fillText = (text, x, y) => {
        const end = x + ctx.measureText(text).width;
        if (edge) texts++;
        if (edge && end > edge - 2) wider.push([text, end - edge]);
        draw(text, x, y);
    };
    scene.boxText = (frame, box, id, x, y) => { edge = x + frame.w[box]; boxText(frame, box, id, x, y); edge = 0; };
    const openTitle = scene.openTitle.bind(scene);
    scene.openTitle = (frame, box, id, x, y, w) => { edge = x + w; openTitle(frame, box, id, x, y, w); edge = 0; };
    scene.scale = 1;
    for (let k = 0; k < app.m.computations.length; k++) {
        const root = app.rootOf(k), all = [...Array(root.base.n).keys()];
        scene.boxes(root, all);
        for (const box of all) if (app.m.canOpen(root.base.id[box])) { root.setOpen(box, true); scene.openBox(root, box, {x0: 0, y0: 0, x1: 1e9, y1: 1e9}); root.setOpen(box, false); }
    }
    return {wider, texts};
})()"""


def fits(page):
    """No text is wider than its box, with the fonts of this system."""
    seen = page.value(WIDER)
    expect(seen["texts"] > 100, f"only {seen['texts']} texts are in boxes")
    equal(seen["wider"][:5], [], f"{len(seen['wider'])} of {seen['texts']} texts end outside their boxes")


def fits_svg(page):
    """The same for nodes and titles of clusters of a drawing, of which no labels of edges lie on each other."""
    seen = page.value("""(() => { const wider = []; let texts = 0;
        for (const group of document.querySelectorAll("g.node, g.cluster")) {
            const shape = [...group.querySelectorAll("polygon, path, ellipse")].map((e) => e.getBBox());
            const left = Math.min(...shape.map((r) => r.x)), right = Math.max(...shape.map((r) => r.x + r.width));
            for (const text of group.querySelectorAll("text")) { const r = text.getBBox(); texts++;
                if (r.x < left || r.x + r.width > right) wider.push([text.textContent, Math.max(left - r.x, r.x + r.width - right)]); } }
        return {wider, texts}; })()""")
    expect(seen["texts"] > 100, f"only {seen['texts']} texts are in boxes")
    equal(seen["wider"][:5], [], f"{len(seen['wider'])} of {seen['texts']} texts end outside their boxes")
    equal(page.value("""(() => { const pairs = [];
        const labels = [...document.querySelectorAll("g.edge text")].map((text) => [text.getBBox(), text.textContent]).sort((a, b) => a[0].x - b[0].x);
        labels.forEach(([a, text], i) => { for (let j = i + 1; j < labels.length && labels[j][0].x < a.x + a.width - 0.5; j++) {
            const b = labels[j][0]; if (Math.abs(a.y - b.y) < a.height - 2.5) pairs.push([text, labels[j][1]]); } });
        return pairs.slice(0, 5); })()"""), [], "labels of edges that lie on each other")


def hostile(page):
    equal(page.value("window.stolen"), None, "a script of the module's ran")
    names = page.value("app.m.names")
    expect(any("</script>" in text for text in page.value("app.m.strings")), "the op_name has changed")
    page.key("/")
    page.type("scope:</script>")
    equal(page.value("app.search.found.length"), 1, "instructions found by the tag")
    page.key("Enter")
    panel = page.text("#panel")
    for part in ("</script>", "<img src=x onerror=", 'quote \\" and \\\\ back', "\\xff", "\\x01"):
        expect(part in panel, f"the panel lacks {part!r}: {panel}")
    equal(page.value("document.querySelectorAll('#panel img, #panel script').length"), 0, "elements of the module's")
    equal(page.value("document.querySelectorAll('.source a').length"), 0, "links to javascript:")
    expect(len(names) == 3, f"{names}")


def corpus(page):
    """Any module: nothing fails while it is fitted, searched, opened and walked through."""
    page.key("f")
    page.value("app.search.run('a'), app.search.found.length && app.goTo(app.search.found[app.search.found.length >> 1])")
    page.settle()
    page.value("(() => { for (let id = 0; id < app.m.n; id++) if (app.m.canOpen(id)) { app.goTo(id); app.toggleSelection(); break; } })()")
    for key in ("ArrowUp", "ArrowDown", "ArrowDown", "ArrowRight", "Escape", "f"):
        page.key(key)
    page.value("app.m.computations.slice(0, 5).forEach((c, k) => app.openView(k, true))")
    page.settle()


def run(cases):
    failed = 0
    with Browser() as browser:
        for path, names in cases:
            for name in names:
                page = browser.page()
                try:
                    page.open(path)
                    globals()[name](page)
                    expect(not page.errors, f"errors of the page: {page.errors}")
                except Failure as failure:
                    failed += 1
                    print(f"{name} of {path}: {failure}")
                page.close()
    return failed


def main(arguments):
    try:
        return 1 if run([(path, names.split(",")) for path, names in (argument.split("=", 1) for argument in arguments)]) else 0
    except Unusable as reason:
        print(reason)
        return UNUSABLE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
