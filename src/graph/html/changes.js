// What differs from the other module of a comparison: members that differences.c writes.

const SAME = 0, CHANGED = 1, ADDED = 2, REMOVED = 3, INSIDE = 4; // INSIDE: the same, but what it calls differs
const CHANGE_WORDS = ["unchanged", "changed", "added", "removed"], CHANGE_SIGNS = ["", "~", "+", "\u2212"];

class Comparison {
  constructor(m, data) {
    this.m = m;
    this.ownCount = data.change.length; // further instructions are those that only the other module has
    this.beforeNames = bySparse(data.before_names, 2);
    this.beforeTexts = bySparse(data.before_texts, 2);
    this.beforeCalls = bySparse(data.before_calls, 2);
    this.texts = bySparse(data.differences, 2);
    this.was = bySparse(data.was, 2);
    this.loneBefore = new Map(); // by user: lone instructions that its counterpart uses
    for (let k = 0; k < data.lone_edges.length; k += 2) {
      const [lone, user] = data.lone_edges.slice(k, k + 2);
      if (!this.loneBefore.has(user)) this.loneBefore.set(user, []);
      this.loneBefore.get(user).push(lone);
    }
    this.loneIn = new Map(); // by computation
    this.calledCounts = new Map();
  }
  // Where the instructions are that only the other module has, in counterparts of its computations.
  place(computationOf) {
    const {m} = this, first = m.n - m.lone_in.length;
    m.lone_in.forEach((computation, k) => {
      computationOf[first + k] = computation;
      if (!this.loneIn.has(computation)) this.loneIn.set(computation, []);
      this.loneIn.get(computation).push(first + k);
    });
    this.own = m.computations.map(() => [0, 0, 0, 0]);
    for (let id = 0; id < m.n; id++) this.own[computationOf[id]][this.of(id)]++;
    this.count = 0; // of those that the keys step through
    for (let id = 0; id < m.n; id++) if (this.of(id) && m.form[id] === 0) this.count++;
  }
  of(id) { return id >= this.ownCount ? REMOVED : this.m.change[id]; }
  differ(computation) {
    const counts = this.own[computation];
    return counts[CHANGED] + counts[ADDED] + counts[REMOVED];
  }
  // Differences in a computation and in all that it calls.
  differWithCalled(computation) {
    if (this.calledCounts.has(computation)) return this.calledCounts.get(computation);
    this.callees = this.callees || calleesOf(this.m);
    const seen = new Set([computation]);
    for (const k of seen) for (const callee of this.callees[k]) seen.add(callee); // it grows
    let sum = 0;
    for (const k of seen) sum += this.differ(k);
    this.calledCounts.set(computation, sum);
    return sum;
  }
  inside(id) { return (this.m.calls.get(id) || []).reduce((sum, call) => sum + this.differWithCalled(call.computation), 0); }
  // As it is coloured.
  kindOf(id) {
    const change = this.of(id);
    return change === SAME && this.m.calls.has(id) && this.inside(id) ? INSIDE : change;
  }
  // What differs and has a box, computation by computation as the list on the left has them, from above to below.
  inOrder() {
    if (this.ordered) return this.ordered;
    const {m} = this, ids = [];
    for (const {computation} of callTree(m)) {
      if (!this.differ(computation)) continue;
      const c = m.computations[computation], b = basePlaces(m, c), place = new Map();
      b.rows.forEach((row, r) => row.forEach((i, k) => { if (i < b.n) place.set(b.id[i], r * 1e6 + k); }));
      const placeOf = (id) => place.get(id) || 0;
      ids.push(...m.instructionsOf(c).filter((id) => this.of(id) && m.form[id] === 0).sort((x, y) => placeOf(x) - placeOf(y)));
    }
    return this.ordered = ids;
  }
  lines(id) {
    const rows = this.texts.get(id);
    return rows ? this.m.line_strings[rows[0]].split("\n").filter((line) => line) : [];
  }
  headerLines() { return this.m.line_strings[this.m.header_differences].split("\n").filter((line) => line); }
  beforeName(id) {
    const rows = this.beforeNames.get(id);
    return rows ? this.m.strings[rows[0]] : "";
  }
  beforeText(id) {
    const rows = this.beforeTexts.get(id);
    return rows ? this.m.strings[rows[0]] : "";
  }
  wasNamed(computation) {
    const rows = this.was.get(computation);
    return rows ? this.m.strings[rows[0]] : "";
  }
  // `~2 +1 -3`
  summary(computation) {
    return [CHANGED, ADDED, REMOVED].filter((kind) => this.own[computation][kind]).map((kind) => CHANGE_SIGNS[kind] + this.own[computation][kind]).join(" ");
  }
}

// The instruction in whose box it is: of an inlined constant a user.
function boxedAs(m, id) {
  while (m.isInlined(id)) id = m.users(id)[0];
  return m.source(id);
}

// The steps from one difference to the next, in the head of the page.
class Differences {
  constructor(app) {
    this.app = app;
    this.comparison = app.m.comparison;
    const bar = document.getElementById("differences"), on = (id, step) => document.getElementById(id).addEventListener("click", () => this.step(step));
    bar.hidden = !this.comparison;
    on("difference-before", -1);
    on("difference-next", 1);
    this.show();
  }
  // From the selection, or from what is shown.
  step(by) {
    if (!this.comparison) return;
    const ids = this.comparison.inOrder(), {selection, root, m} = this.app;
    if (!ids.length) return this.app.say("no differences");
    let at = selection ? ids.indexOf(selection.id) : -1;
    if (at >= 0) at += by;
    else {
      at = ids.findIndex((id) => m.computationOf[id] === (selection ? selection.frame : root).computation.number);
      if (at < 0) at = 0;
    }
    this.app.goTo(ids[(at + ids.length) % ids.length]);
  }
  show() {
    if (!this.comparison) return;
    const {comparison, app: {selection, m}} = this, n = comparison.count, count = n === 1 ? "1 difference" : n + " differences";
    const isBox = selection && comparison.of(selection.id) && m.form[selection.id] === 0;
    document.getElementById("difference-place").textContent = n ? (isBox ? comparison.inOrder().indexOf(selection.id) + 1 + " of " : "") + count : "no differences";
    for (const id of ["difference-before", "difference-next"]) document.getElementById(id).disabled = !n;
  }
}
