// Search: every word must be in the name, the operation, the shape or the op_name; `op:`, `name:`, `shape:` and
// `scope:` select one of them; `is:added` and the like look at what differs from the other module of a comparison.

const PREFIXES = {op: "op", name: "name", shape: "shape", scope: "op_name"};

class Search {
  constructor(app) {
    this.app = app;
    this.m = app.m;
    this.found = [];
    this.input = document.getElementById("search");
    this.note = document.getElementById("search-note");
    this.results = document.getElementById("results");
    this.list = new LongList(this.results, {
      render: (k) => this.render(this.found[k]), choose: (k) => app.goTo(this.found[k]), title: (k) => this.m.names[this.found[k]],
    });
    this.input.addEventListener("input", () => this.run(this.input.value));
    this.input.addEventListener("keydown", (event) => this.key(event));
  }
  // Lower case of what is searched, made when it is needed first. Strings that many share are searched once.
  prepare() {
    if (this.names) return;
    this.names = this.m.names.map((name) => name.toLowerCase());
    this.strings = this.m.strings.map((text) => text.toLowerCase());
  }
  // A function of an instruction for one word.
  test(word) {
    const [, prefix, rest] = /^(?:(op|name|shape|scope|is):)?(.*)$/.exec(word), field = PREFIXES[prefix];
    if (prefix === "is") return this.testChange(rest);
    const inString = new Uint8Array(this.strings.length), {m, names} = this;
    this.strings.forEach((text, k) => { inString[k] = text.includes(rest) ? 1 : 0; });
    const inOp = m.ops.map(([text]) => text.includes(rest));
    if (field === "op") return (id) => inOp[m.op[id]];
    if (field === "name") return (id) => names[id].includes(rest);
    if (field === "shape") return (id) => inString[m.shape[id]] === 1;
    if (field === "op_name") return (id) => inString[m.op_name[id]] === 1;
    return (id) => names[id].includes(rest) || inOp[m.op[id]] || inString[m.shape[id]] === 1 || inString[m.op_name[id]] === 1;
  }
  testChange(word) {
    if ("different".startsWith(word)) return (id) => this.m.changeOf(id) !== SAME;
    const kinds = CHANGE_WORDS.map((text) => text.startsWith(word));
    return (id) => this.m.comparison !== null && kinds[this.m.changeOf(id)];
  }
  run(query) {
    this.prepare();
    const tests = query.toLowerCase().split(/\s+/).filter((word) => word).map((word) => this.test(word));
    this.found = [];
    const mask = tests.length ? new Uint8Array(this.m.n) : null;
    for (let id = 0; tests.length && id < this.m.n; id++) {
      if (!tests.every((test) => test(id))) continue;
      this.found.push(id);
      mask[id] = 1;
    }
    this.exactFirst(query.trim().toLowerCase().replace(/^%/, ""));
    this.app.scene.found = mask;
    this.app.view.redraw();
    this.show(tests.length > 0);
  }
  exactFirst(name) {
    const at = this.found.findIndex((id) => this.names[id] === name);
    if (at > 0) this.found.unshift(this.found.splice(at, 1)[0]);
  }
  show(isAsked) {
    this.results.hidden = !isAsked;
    this.input.setAttribute("aria-expanded", isAsked);
    this.note.textContent = !isAsked ? "" : this.found.length ? this.found.length + " of " + this.m.n + " instructions" : "nothing found";
    this.results.scrollTop = 0;
    this.list.set(this.found.length, this.found.length ? 0 : -1);
  }
  clear() {
    this.input.value = "";
    this.run("");
  }
  render(id) {
    const dot = element("i", "dot"), {colours} = this.app, {fill, border} = colours.by === "change" ? colours.of(id) : colours.ofClass(this.m.class(id));
    dot.style.background = fill;
    dot.style.borderColor = border;
    return [dot, element("span", "name", this.m.names[id]), element("span", "remark", cut(this.m.shapeText(id), 24))];
  }
  key(event) {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") this.list.move(event.key === "ArrowDown" ? 1 : -1);
    else if (event.key === "Enter" && this.list.current >= 0) this.list.choose(this.list.current);
    else if (event.key === "Escape") this.leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
  leave() {
    if (this.input.value) this.clear();
    this.app.view.canvas.focus();
  }
}
