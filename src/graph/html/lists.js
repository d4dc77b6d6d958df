// Lists of any length, of which only the rows in sight are in the document; and the list of computations.

const ROW = 24;

class LongList {
  // render(k) returns the content of row k as nodes; choose(k) is called for a click or Enter.
  constructor(element, {render, choose, title}) {
    Object.assign(this, {element, render, choose, title, count: 0, current: -1});
    this.inner = document.createElement("div");
    this.inner.className = "rows";
    element.append(this.inner);
    element.addEventListener("scroll", () => this.draw());
    element.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(element);
  }
  set(count, current = -1) {
    this.count = count;
    this.current = current;
    this.inner.style.height = count * ROW + "px";
    this.draw();
  }
  draw() {
    const {scrollTop, clientHeight} = this.element, rows = [];
    const last = Math.min(this.count, Math.ceil((scrollTop + clientHeight) / ROW) + 2);
    for (let k = Math.max(0, Math.floor(scrollTop / ROW) - 2); k < last; k++) rows.push(this.row(k));
    this.inner.replaceChildren(...rows);
  }
  row(k) {
    const row = document.createElement("div");
    row.className = "row" + (k === this.current ? " current" : "");
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", k === this.current);
    row.setAttribute("aria-setsize", this.count);
    row.setAttribute("aria-posinset", k + 1);
    row.style.top = k * ROW + "px";
    if (this.title) row.title = this.title(k);
    row.append(...this.render(k));
    row.addEventListener("click", () => this.go(k));
    return row;
  }
  go(k) {
    this.set(this.count, k);
    this.choose(k);
  }
  move(step) {
    if (!this.count) return;
    this.set(this.count, Math.min(this.count - 1, Math.max(0, this.current + step)));
    this.scrollTo(this.current);
  }
  scrollTo(k) {
    const {element} = this;
    if (k * ROW < element.scrollTop) element.scrollTop = k * ROW;
    if ((k + 1) * ROW > element.scrollTop + element.clientHeight) element.scrollTop = (k + 1) * ROW - element.clientHeight;
    this.draw();
  }
  key(event) {
    const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity};
    if (event.key in steps) this.move(steps[event.key]);
    else if (event.key === "Enter" && this.current >= 0) this.choose(this.current);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function calleesOf(m) {
  const callees = m.computations.map(() => new Set());
  for (const [id, calls] of m.calls) for (const call of calls) callees[m.computationOf[id]].add(call.computation);
  return callees;
}

// Computations under the first that calls them, entries first; what nothing calls, last.
function callTree(m) {
  const rows = [], seen = new Set(), callees = calleesOf(m);
  const walk = (top) => {
    const stack = [[top, 0]];
    while (stack.length) {
      const [k, depth] = stack.pop();
      if (seen.has(k)) continue;
      seen.add(k);
      rows.push({computation: k, depth});
      stack.push(...[...callees[k]].reverse().map((callee) => [callee, depth + 1]));
    }
  };
  m.entries.forEach(walk);
  m.computations.forEach((c, k) => { if (!m.callers[k].length) walk(k); });
  m.computations.forEach((c, k) => walk(k));
  return rows;
}

class ComputationList {
  constructor(app) {
    this.app = app;
    this.tree = callTree(app.m);
    this.list = new LongList(document.getElementById("tree"), {
      render: (k) => this.render(this.rows[k]), choose: (k) => this.choose(this.rows[k]), title: (k) => this.title(this.rows[k]),
    });
    const order = document.getElementById("order");
    const {m} = app, has = {flops: m.hasCosts, bytes: m.hasCosts, seconds: m.hasTimes, differences: m.comparison !== null};
    for (const option of [...order.options]) if (has[option.value] === false) option.remove();
    order.addEventListener("change", () => this.sort(order.value));
    this.sort("tree");
  }
  sort(by) {
    const {m} = this.app, value = {
      count: (c) => -c.count, flops: (c) => -this.total("flops", c.number), bytes: (c) => -this.total("bytes", c.number),
      seconds: (c) => -this.total("seconds", c.number), differences: (c) => -m.comparison.differ(c.number),
    }[by];
    this.by = by;
    this.order = this.tree.slice();
    if (value) this.order.sort((a, b) => value(m.computations[a.computation]) - value(m.computations[b.computation]));
    if (by === "name") this.order.sort((a, b) => m.computations[a.computation].name < m.computations[b.computation].name ? -1 : 1);
    this.show();
  }
  // What a line in the boxes of its callers describes, like a reducer; what differs is no such thing.
  isSmall({computation}) {
    const {m} = this.app;
    return m.computations[computation].does !== undefined && !(m.comparison && m.comparison.differ(computation));
  }
  // Several of these are one row, unless one is shown.
  fold() {
    const small = this.order.filter((row) => this.isSmall(row));
    if (small.some((row) => row.computation === this.app.root.computation.number)) this.isUnfolded = true;
    const rows = this.isUnfolded || small.length < 2 ? this.order : this.order.filter((row) => !this.isSmall(row));
    this.rows = small.length < 2 ? rows : [...rows, {small: small.length}];
  }
  choose(row) {
    if (!row.small) return this.app.openView(row.computation, true);
    this.isUnfolded = !this.isUnfolded;
    this.show();
  }
  show() {
    this.fold();
    const current = this.rows.findIndex((row) => row.computation === this.app.root.computation.number);
    this.list.set(this.rows.length, current);
    if (current >= 0) this.list.scrollTo(current);
  }
  total(what, k) {
    const value = this.app.m["total_" + what][k];
    return value === undefined ? -1 : value;
  }
  title({computation, small}) {
    if (small) return (this.isUnfolded ? "Hide" : "Show") + " the computations that a line in the boxes of their callers describes";
    const {m} = this.app, c = m.computations[computation];
    const cost = m.hasCosts ? ", " + shortNumber(this.total("flops", computation)) + " flops, " + shortNumber(this.total("bytes", computation), "B") : "";
    const time = !m.hasTimes ? "" : this.total("seconds", computation) < 0 ? ", not measured" : ", " + shortTime(this.total("seconds", computation));
    const differ = m.comparison ? ", " + (m.comparison.summary(computation) || "nothing") + " differs" : "";
    return c.name + ": " + c.count + " instructions" + cost + time + differ;
  }
  render({computation, depth, small}) {
    if (small) return [element("span", "name remark", (this.isUnfolded ? "\u25be" : "\u25b8") + " reducers, comparators"), element("span", "number", String(small))];
    const {m} = this.app, c = m.computations[computation], row = [];
    const name = element("span", "name", c.name), count = element("span", "number", String(c.count));
    if (this.by === "tree") name.style.paddingLeft = Math.min(depth, 8) * 12 + "px";
    if (m.entries.includes(computation)) name.classList.add("entry");
    if (c.does !== undefined) name.append(element("span", "remark", " " + c.does));
    if (m.comparison && c.first >= m.comparison.ownCount) name.classList.add("removed");
    row.push(name, count);
    const cost = this.cost(computation);
    if (cost) row.push(cost);
    return row;
  }
  // The last column: what the list is sorted by, else what boxes are coloured by.
  what() {
    const {m, colours} = this.app;
    const column = {flops: "flops", bytes: "bytes", seconds: "seconds", differences: "differences", change: "differences"};
    return column[this.by] || column[colours.by] || (m.comparison ? "differences" : m.hasCosts ? "flops" : "");
  }
  cost(computation) {
    const {m} = this.app, what = this.what();
    if (!what) return null;
    if (what === "differences") return this.differences(computation);
    const value = this.total(what, computation), most = what === "seconds" ? m.all_seconds : Math.max(...m.entries.map((k) => this.total(what, k)), 1);
    const cost = element("span", "number cost", value > 0 ? what === "seconds" ? shortTime(value) : shortNumber(value, UNITS[what]) : "");
    cost.style.setProperty("--share", Math.max(0, Math.min(100, 100 * value / most)) + "%");
    return cost;
  }
  differences(computation) {
    const cell = element("span", "number changes"), {comparison} = this.app.m;
    for (const kind of [CHANGED, ADDED, REMOVED]) {
      if (!comparison.own[computation][kind]) continue;
      const part = element("span", "chip", CHANGE_SIGNS[kind] + comparison.own[computation][kind]), {fill, border} = this.app.colours.ofChange(kind);
      part.style.background = fill;
      part.style.borderColor = border;
      cell.append(part);
    }
    return cell;
  }
}
