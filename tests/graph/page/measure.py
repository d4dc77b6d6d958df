"""Pages of whole modules in a browser: nothing fails, and how long it takes. Called by `make check-browser`:
measure.py HLO-DOT [MODULE...]; without modules one of 10,000 instructions is made. The goals are those of docs/page.md;
a busy machine may miss them, so that only ten times as long counts as a failure. Ends with `N passed, N failed, N skipped`."""
import os, resource, subprocess, sys, tempfile
from browser import Browser, Failure, Unusable, program
from drives import corpus, expect

GOALS = {"seconds": 2, "MB": 20, "first ms": 1000, "search ms": 100, "open ms": 100, "draw ms": 100}
PATIENCE = 10

TIMES = """(() => {
  const time = (act) => { const before = performance.now(); act(); app.view.drawNow(); return performance.now() - before; };
  const root = app.root, opened = [...root.base.id.keys()].filter((box) => app.m.canOpen(root.base.id[box]));
  const inside = (box) => app.m.opened(root.base.id[box]).reduce((sum, call) => sum + app.m.computations[call.computation].count, 0);
  opened.sort((a, b) => inside(b) - inside(a));
  const search = Math.max(...["d", "dot f32", "scope:transpose"].map((query) => time(() => app.search.run(query))));
  app.search.clear();
  const open = opened.length ? time(() => app.toggle(root, opened[0])) : 0;
  app.closeAll();
  const draw = time(() => app.view.fit());
  return [app.view.firstDrawn, search, open, draw];
})()"""


def seconds_of(command):
    """Of the processor, which other processes do not prolong."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write_large(path, count=10_000):
    """A chain of layers, each with a fusion, a product, residual edges and a constant."""
    lines = ["HloModule large", "f {", "  p = f32[64,64] parameter(0)", "  e = f32[64,64] exponential(p)", "  ROOT m = f32[64,64] multiply(e, p)", "}",
             "ENTRY main {", "  a0 = f32[64,64] parameter(0)", "  b = f32[64,64] parameter(1)"]
    for k in range(count // 4):
        lines += [f"  fusion.{k} = f32[64,64] fusion(a{k}), kind=kLoop, calls=f, metadata={{op_name=\"layer_{k}/activation\"}}",
                  f"  dot.{k} = f32[64,64] dot(fusion.{k}, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}",
                  f"  transpose.{k} = f32[64,64] transpose(dot.{k}), dimensions={{1,0}}", f"  a{k + 1} = f32[64,64] add(transpose.{k}, a{k})"]
    lines += [f"  ROOT out = f32[64,64] negate(a{count // 4})", "}"]
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")


def measure(browser, tool, module, page_path):
    seconds = seconds_of([tool, "-T", "html", "-o", page_path, module])
    page = browser.page()
    page.open(page_path)
    page.wait("app.view.firstDrawn > 0", "the first drawing")
    figures = [seconds, os.path.getsize(page_path) / 1e6] + page.value(TIMES)
    count = page.value("app.m.n")
    corpus(page)
    expect(not page.errors, f"errors of the page: {page.errors}")
    page.close()
    return count, figures


def check(browser, tool, module, page_path):
    """A line of figures; None where something fails, which is said."""
    name = os.path.basename(module)
    try:
        count, figures = measure(browser, tool, module, page_path)
        print(f"{name[:45]:45} {count:6} " + " ".join(f"{figure:9.2f}" for figure in figures), flush=True)
        for (what, goal), figure in zip(GOALS.items(), figures):
            expect(figure <= goal * (1 if what == "MB" else PATIENCE), f"{figure:.1f} {what}, goal {goal}")
        return figures
    except (Failure, subprocess.CalledProcessError) as failure:
        print(f"{name}: {failure}")
        return None


def check_all(browser, tool, modules, folder):
    large = os.path.join(folder, "large-10000.hlo")
    write_large(large)
    print(f"{'module':45} {'instrs':>6} " + " ".join(f"{name:>9}" for name in GOALS))
    figures = [check(browser, tool, module, os.path.join(folder, "page.html")) for module in [large, *modules]]
    measured = [line for line in figures if line]
    if measured:
        print(f"{'most':45} {'':6} " + " ".join(f"{max(column):9.2f}" for column in zip(*measured)))
    print(f"{len(measured)} passed, {len(figures) - len(measured)} failed, 0 skipped")
    return 0 if len(measured) == len(figures) else 1


def main(tool, modules):
    if not program():
        print("skipped: no chromium (make deps-browser)\n0 passed, 0 failed, 1 skipped")
        return 0
    try:
        with tempfile.TemporaryDirectory() as folder, Browser() as browser:
            return check_all(browser, tool, modules, folder)
    except Unusable as reason:
        print(f"skipped: {reason}\n0 passed, 0 failed, 1 skipped")
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
