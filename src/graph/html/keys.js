// The keyboard over the drawing. Fields and lists have their own keys.

class Keys {
  constructor(app) {
    this.app = app;
    this.near = null; // {list, at}: operands or users that left and right go through
    this.jump = null; // {kind, list, at}: far ends that a key goes through, and last where it began
    document.addEventListener("keydown", (event) => this.key(event));
  }
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const tag = event.target.tagName, isField = tag === "INPUT" || tag === "SELECT";
    if (document.getElementById("help").open || (isField && event.key !== "Escape")) return;
    if (tag === "BUTTON" && event.key === "Enter") return;
    const act = this.actions()[event.key];
    if (!act) return;
    event.preventDefault();
    act(event);
  }
  actions() {
    const {app} = this, {view} = app;
    return {
      "/": () => { app.search.input.focus(); app.search.input.select(); },
      "?": () => document.getElementById("help").showModal(),
      Escape: () => this.escape(),
      Enter: () => app.toggleSelection(),
      o: () => app.openAlone(),
      u: () => app.toCaller(),
      Backspace: () => app.toCaller(),
      n: () => app.differences.step(1),
      p: () => app.differences.step(-1),
      N: () => app.differences.step(-1),
      c: () => app.closeAll(),
      f: () => view.fit(),
      s: () => app.centre(),
      t: () => app.setTheme(!app.colours.isDark),
      "+": () => view.zoomAt(1.25),
      "=": () => view.zoomAt(1.25),
      "-": () => view.zoomAt(0.8),
      a: () => this.far("operand", 1),
      A: () => this.far("operand", -1),
      b: () => this.far("user", 1),
      B: () => this.far("user", -1),
      ArrowUp: (event) => event.shiftKey ? view.pan(0, -80) : this.vertical("operand"),
      ArrowDown: (event) => event.shiftKey ? view.pan(0, 80) : this.vertical("user"),
      ArrowLeft: (event) => event.shiftKey ? view.pan(-80, 0) : this.sideways(-1),
      ArrowRight: (event) => event.shiftKey ? view.pan(80, 0) : this.sideways(1),
    };
  }
  escape() {
    const {app} = this;
    if (app.search.input.value) app.search.clear();
    else if (app.selection) app.select(null);
  }
  // Boxes on the other end of the selection's edges, in this frame or through its border.
  vertical(kind) {
    const {app} = this, selection = app.selection;
    if (!selection) return app.selectFirst();
    const list = [];
    if (app.m.isInlined(selection.id)) // its users have no edge from it
      for (const [frame, marks] of app.marks.frames) for (const [box, of] of marks.boxes) if (of === kind) list.push({frame, box});
    for (const [frame, marks] of app.marks.frames)
      for (const [e, of] of marks.edges) {
        const edge = frame.base.edges[e], box = of === "operand" ? edge.from : edge.to;
        if (of === kind && !list.some((one) => one.frame === frame && one.box === box)) list.push({frame, box});
      }
    if (!list.length) return this.throughBorder(kind);
    this.near = {list, at: 0};
    this.step();
  }
  // Into the body of an open box: from above to its parameters, from below to its root.
  throughBorder(kind) {
    const {frame, id} = this.app.selection;
    if (frame.holder) this.app.select(frame.holder.frame, frame.holder.frame.base.id[frame.holder.box], true);
    else this.app.say("no " + kind + " of " + this.app.m.names[id]);
  }
  // To the next far end of the kind, as long as the last one is selected; beyond the last and before the first back.
  far(kind, step) {
    const {app} = this, {selection} = app, isAt = ({frame, id}) => frame === selection.frame && id === selection.id;
    if (!selection) return app.selectFirst();
    let jump = this.jump;
    if (!jump || jump.kind !== kind || !isAt(jump.list[jump.at])) {
      const ends = farEnds(app.marks, kind).map(({frame, box}) => ({frame, id: frame.base.id[box]}));
      if (!ends.length) return app.say("no far " + kind + " of " + app.m.names[selection.id]);
      jump = {kind, list: [...ends, {...selection}], at: ends.length};
    }
    jump.at = (jump.at + step + jump.list.length) % jump.list.length;
    app.select(jump.list[jump.at].frame, jump.list[jump.at].id, true);
    this.jump = jump;
  }
  sideways(step) {
    const {app} = this;
    if (!app.selection) return app.selectFirst();
    const {frame, id} = app.selection, near = this.near;
    const isNear = near && near.list[near.at].frame === frame && frame.base.id[near.list[near.at].box] === id;
    if (!isNear || near.list.length < 2) this.near = this.rowOf(frame, frame.base.boxOf.get(app.firstBox(id)));
    this.near.at = (this.near.at + step + this.near.list.length) % this.near.list.length;
    this.step();
  }
  rowOf(frame, box) {
    const row = frame.base.rows[frame.base.row[box]].filter((i) => i < frame.base.n);
    return {list: row.map((i) => ({frame, box: i})), at: row.indexOf(box)};
  }
  step() {
    const {frame, box} = this.near.list[this.near.at], near = this.near;
    this.app.select(frame, frame.base.id[box], true);
    this.near = near;
  }
}
