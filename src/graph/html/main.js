// The page: which computation is shown, what is selected, and how the parts hear of each other.

class App {
  constructor(m) {
    this.m = m;
    this.stamp = 0; // changes with the layout and the colours
    this.roots = new Map(); // by computation: its frame, with what is open in it
    this.selection = null; // {frame, id}
    this.marks = new Marks();
    this.colours = new Colours(m);
    this.scene = new Scene(document.getElementById("scene"), m, this.colours);
    this.root = this.rootOf(m.start.computation >= 0 ? m.start.computation : m.entries[0]);
    this.view = new View(this);
    this.panel = new Panel(this);
    this.search = new Search(this);
    this.differences = new Differences(this);
    this.computations = new ComputationList(this);
    this.keys = new Keys(this);
    this.setUp();
  }
  setUp() {
    const {m} = this, on = (id, act) => document.getElementById(id).addEventListener("click", act);
    document.title = m.module + " - HLO";
    document.getElementById("module-name").textContent = m.module;
    on("fit", () => this.view.fit());
    on("zoom-in", () => this.view.zoomAt(1.25));
    on("zoom-out", () => this.view.zoomAt(0.8));
    on("close-all", () => this.closeAll());
    on("theme", () => this.setTheme(!this.colours.isDark));
    on("help-button", () => document.getElementById("help").showModal());
    const colour = document.getElementById("colour");
    for (const [value, text] of this.colours.ways()) colour.append(new Option(text, value));
    colour.addEventListener("change", () => this.setColour(colour.value));
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", () => this.setTheme(dark.matches));
    this.setTheme(dark.matches);
    const asked = ["class", "sharding", "memory", "class", "flops", "bytes", "seconds", "change"][m.colour];
    if (this.colours.ways().some(([value]) => value === asked)) colour.value = asked;
    this.setColour(colour.value);
    this.begin();
  }
  // The start that --computation and --around name, or the instruction after # in the address.
  begin() {
    const name = decodeURIComponent(location.hash.slice(1)), named = name ? this.m.names.indexOf(name) : -1;
    this.view.show();
    this.panel.show(null);
    this.showCrumbs();
    if (named >= 0) this.goTo(named);
    else if (this.m.start.instruction >= 0) this.goTo(this.m.start.instruction);
  }
  rootOf(computation) {
    if (!this.roots.has(computation)) this.roots.set(computation, new Frame(this.m, this.m.computations[computation], null));
    return this.roots.get(computation);
  }
  // ---- selection ----
  select(frame, id, isRevealed) {
    this.selection = frame ? {frame, id} : null;
    this.keys.near = null;
    this.marks = marksOf(this.m, this.selection);
    this.panel.show(this.selection);
    this.showCrumbs();
    this.differences.show();
    const box = frame ? frame.base.boxOf.get(this.m.source(id)) : undefined;
    if (isRevealed && box !== undefined) this.view.reveal(frame, box, isRevealed === "centre");
    else this.view.redraw();
    if (!frame) return;
    const change = this.m.changeOf(id) ? ", " + CHANGE_WORDS[this.m.changeOf(id)] : "";
    this.say(this.m.names[id] + ", " + this.m.opcode(id) + ", " + this.m.shapeText(id) + change);
    try { history.replaceState(null, "", "#" + encodeURIComponent(this.m.names[id])); } catch { /* not of every address */ }
  }
  selectFirst() {
    const b = this.root.base;
    if (b.n) this.select(this.root, b.id[b.rows[0].find((i) => i < b.n)], true);
  }
  centre() {
    if (!this.selection) return;
    const {frame, id} = this.selection, box = frame.base.boxOf.get(this.firstBox(id));
    if (box !== undefined) this.view.reveal(frame, box, true);
  }
  // The instruction in whose box it is: of an inlined constant a user.
  firstBox(id) { return boxedAs(this.m, id); }
  // Selects an instruction of any computation: in the shown drawing, with what must be opened for it.
  goTo(id) {
    const frame = this.frameFor(this.m.computationOf[id]);
    this.select(frame, id);
    this.centre();
  }
  frameFor(computation) {
    for (const frame of this.root.all()) if (frame.computation.number === computation) return frame;
    let path = this.callersUpTo(computation, this.root.computation.number);
    if (!path) {
      path = this.m.entries.map((entry) => this.callersUpTo(computation, entry)).find((one) => one) || [];
      this.openView(path.length ? this.m.computationOf[path[0]] : computation);
    }
    let frame = this.root;
    for (let k = 0; k < path.length; k++) {
      const next = k + 1 < path.length ? this.m.computationOf[path[k + 1]] : computation, box = frame.base.boxOf.get(path[k]);
      if (!this.m.opened(path[k]).some((call) => call.computation === next)) return this.alone(computation);
      frame.setOpen(box, true);
      frame = frame.open.get(box).find((inner) => inner.computation.number === next);
    }
    this.changed();
    return frame;
  }
  // What no box opens, like the sum of a reduction, is shown alone.
  alone(computation) {
    this.openView(computation);
    return this.root;
  }
  // Instructions to open, outermost first, or null.
  callersUpTo(computation, top) {
    const from = new Map([[computation, null]]), queue = [computation];
    for (const k of queue) {
      if (k === top) {
        const path = [];
        for (let at = from.get(k); at; at = from.get(at.callee)) path.push(at.caller);
        return path;
      }
      for (const caller of this.m.callers[k]) {
        const outer = this.m.computationOf[caller];
        if (from.has(outer)) continue;
        from.set(outer, {caller, callee: k});
        queue.push(outer);
      }
    }
    return null;
  }
  // ---- opening ----
  toggle(frame, box) {
    if (!this.m.canOpen(frame.base.id[box])) return;
    const isOpen = frame.open.has(box), id = frame.base.id[box];
    this.view.keeping(frame, box, () => frame.setOpen(box, !isOpen));
    this.changed();
    this.select(frame, id);
    if (!isOpen) this.view.reveal(frame, box);
    this.say((isOpen ? "closed " : "opened ") + this.m.names[id]);
  }
  toggleSelection() {
    if (!this.selection) return;
    const {frame, id} = this.selection, box = frame.base.boxOf.get(id);
    if (box !== undefined) this.toggle(frame, box);
  }
  closeAll() {
    this.select(null);
    this.root.closeAll();
    this.changed();
    this.view.show();
  }
  openAlone() {
    const {selection, m} = this;
    if (selection && m.canOpen(selection.id)) this.openView(m.opened(selection.id)[0].computation, true);
  }
  openView(computation, isShown) {
    this.root = this.rootOf(computation);
    this.select(null);
    this.changed();
    this.computations.show();
    if (isShown) this.view.show();
  }
  toCaller() {
    const holder = this.selection && this.selection.frame.holder;
    if (holder) return this.select(holder.frame, holder.frame.base.id[holder.box], true);
    const caller = this.m.callers[this.root.computation.number][0];
    if (caller === undefined) return;
    this.openView(this.m.computationOf[caller]);
    this.goTo(caller);
  }
  changed() {
    this.stamp++;
    this.keys.jump = null;
    this.view.redraw();
  }
  // ---- the rest of the page ----
  showCrumbs() {
    const {m} = this, nav = document.getElementById("crumbs"), crumbs = [], root = this.root.computation.number;
    const path = m.entries.map((entry) => this.callersUpTo(root, entry)).find((one) => one) || [];
    for (const caller of path) crumbs.push([m.computations[m.computationOf[caller]].name, () => { this.openView(m.computationOf[caller]); this.goTo(caller); }]);
    crumbs.push([this.root.computation.name, () => { this.select(null); this.view.show(); }]);
    const inner = [];
    for (let frame = this.selection && this.selection.frame; frame && frame.holder; frame = frame.holder.frame) {
      const {frame: outer, box} = frame.holder;
      inner.unshift([frame.computation.name, () => this.select(outer, outer.base.id[box], true)]);
    }
    nav.replaceChildren(...crumbs.concat(inner).map(([text, act]) => {
      const crumb = element("button", "", cut(text, 36));
      crumb.title = text;
      crumb.addEventListener("click", act);
      return crumb;
    }));
  }
  setTheme(isDark) {
    this.colours.isDark = isDark;
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
    this.showLegend();
    this.panel.show(this.selection);
    if (this.search.found.length) this.search.list.draw();
    this.computations.list.draw();
    this.changed();
  }
  setColour(by) {
    this.colours.by = by;
    this.showLegend();
    this.computations.list.draw();
    if (this.search.found.length) this.search.list.draw();
    this.changed();
  }
  showLegend() {
    document.getElementById("legend").replaceChildren(...this.colours.legend().map(([{fill, border}, text, isDashed]) => {
      const row = element("div", "", cut(text, 60)), dot = element("i", "dot");
      dot.style.background = fill;
      dot.style.borderColor = border;
      if (isDashed) dot.style.borderStyle = "dashed";
      row.prepend(dot);
      return row;
    }));
  }
  tip(found, event) {
    const tip = document.getElementById("tip");
    this.view.canvas.style.cursor = found ? "pointer" : "";
    tip.hidden = !found || this.view.camera.scale >= 0.34;
    if (tip.hidden) return;
    const id = found.frame.base.id[found.box];
    tip.textContent = this.m.names[id] + "\n" + this.m.opcode(id) + "  " + cut(this.m.shapeText(id), 60);
    tip.style.left = Math.min(event.offsetX + 14, this.view.width - 260) + "px";
    tip.style.top = event.offsetY + 16 + "px";
  }
  say(text) { document.getElementById("said").textContent = text; }
}

const app = new App(new Module(JSON.parse(document.getElementById("data").textContent)));
