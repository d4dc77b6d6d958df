// The panel: the text, place, cost and neighbours of the selected instruction; of the computation where none is.

const FIRST_ROWS = 40;

class Panel {
  constructor(app) {
    this.app = app;
    this.m = app.m;
    this.element = document.getElementById("panel");
  }
  show(selection) {
    this.element.replaceChildren(...(selection ? this.instruction(selection.id) : this.computation(this.app.root.computation)));
    this.element.scrollTop = 0;
  }
  // ---- parts ----
  section(title, ...content) {
    const part = element("section");
    part.append(element("h3", "", title), ...content);
    return part;
  }
  button(text, title, act) {
    const made = element("button", "", text);
    made.title = title;
    made.addEventListener("click", act);
    return made;
  }
  // Instructions to go to; long lists grow on demand.
  links(ids, label, limit = FIRST_ROWS) {
    const list = element("div", "links");
    ids.slice(0, limit).forEach((id, k) => {
      const link = this.button("", this.m.text[id].slice(0, 400), () => this.app.goTo(id));
      link.append(element("span", "number", label(id, k)), element("span", "name", this.m.names[id]), element("span", "remark", cut(this.m.shapeText(id), 30)));
      list.append(link);
    });
    if (ids.length > limit) list.append(this.button((ids.length - limit) + " more", "Show all", () => list.replaceWith(this.links(ids, label, Infinity))));
    return list;
  }
  table(rows) {
    const table = element("table");
    for (const [name, value, share] of rows) {
      const row = element("tr"), cell = element("td", "number", value);
      row.append(element("th", "", name), cell);
      if (share !== undefined) cell.style.setProperty("--share", 100 * share + "%"), cell.classList.add("cost");
      table.append(row);
    }
    return table;
  }
  // ---- an instruction ----
  instruction(id) {
    const {m} = this, parts = [], calls = m.calls.get(id) || [], operands = [...m.operands(id)], users = m.users(id);
    const head = element("h2"), {fill, border} = this.app.colours.ofClass(m.class(id)), chip = element("span", "chip", m.opcode(id));
    chip.style.background = fill;
    chip.style.borderColor = border;
    head.append(chip, " ", element("span", "full-name", m.names[id]));
    parts.push(head, this.actions(id), element("div", "shape", m.shapeText(id)), element("pre", "", m.text[id]));
    parts.push(...this.source(id), ...this.cost(id));
    if (operands.length) parts.push(this.section("Operands (" + operands.length + ")", this.links(operands, (_, k) => String(k))));
    if (users.length) parts.push(this.section("Users (" + users.length + ")", this.links(users, (user) => [...m.operands(user)].map((def, k) => def === id ? k : -1).filter((k) => k >= 0).slice(0, 3).join(","))));
    if (calls.length) parts.push(this.section("Calls", ...calls.map((call) => this.callLink(call))));
    parts.push(this.section("In", this.computationLink(m.computations[m.computationOf[id]])));
    return parts;
  }
  actions(id) {
    const {m, app} = this, bar = element("div", "actions"), {selection} = app;
    bar.append(this.button("Centre", "Go to the selection (s)", () => app.centre()));
    if (m.canOpen(id)) {
      const box = selection.frame.base.boxOf.get(id), isOpen = selection.frame.open.has(box);
      bar.append(this.button(isOpen ? "Close" : "Open", "In place (Enter)", () => app.toggle(selection.frame, box)));
      bar.append(this.button("Alone", "Show what it calls alone (o)", () => app.openAlone()));
    }
    bar.append(this.button("Copy text", "The instruction's text", () => copyText(m.text[id])));
    return bar;
  }
  source(id) {
    const {m} = this, file = m.strings[m.file[id]], opName = m.strings[m.op_name[id]], parts = [];
    if (opName) parts.push(this.section("op_name", element("div", "mono", opName)));
    if (!file) return parts;
    const text = file + (m.line[id] ? ":" + m.line[id] : ""), address = sourceAddress(m, file, m.line[id]);
    const place = element(address ? "a" : "span", "mono", text);
    if (address) Object.assign(place, {href: address, target: "_blank", rel: "noopener noreferrer"});
    const line = element("div", "source");
    line.append(place);
    if (m.function[id]) line.append(element("span", "remark", " in " + m.strings[m.function[id]]));
    parts.push(this.section("Source", line));
    return parts;
  }
  cost(id) {
    const {m} = this;
    if (!m.hasCosts) return [this.section("Cost", element("div", "remark", "not counted: the module does not verify"))];
    const c = m.computationOf[id], flops = m.flops[id], bytes = m.bytes[id], rows = [];
    const share = (value, total) => value > 0 && total > 0 ? Math.min(1, value / total) : 0;
    rows.push(["flops", shortNumber(flops), share(flops, m.total_flops[c])]);
    if (m.transcendentals[id] > 0) rows.push(["transcendentals", shortNumber(m.transcendentals[id]), share(m.transcendentals[id], m.total_transcendentals[c])]);
    rows.push(["bytes", shortNumber(bytes, "B"), share(bytes, m.total_bytes[c])]);
    if (flops > 0 && bytes > 0) rows.push(["flops per byte", (flops / bytes).toPrecision(3)]);
    rows.push(["runs", m.runs[c] < 0 ? "not known" : shortNumber(m.runs[c])]);
    return [this.section("Cost of one execution", this.table(rows))];
  }
  callLink(call) {
    const link = this.computationLink(this.m.computations[call.computation]);
    link.prepend(element("span", "number", call.role));
    return link;
  }
  computationLink(c) {
    const link = this.button("", "Show it alone", () => this.app.openView(c.number, true));
    link.className = "link";
    link.append(element("span", "name", c.name), element("span", "remark", c.does !== undefined ? c.does : c.count + " instructions"));
    return link;
  }
  // ---- a computation ----
  computation(c) {
    const {m} = this, parts = [], k = c.number, callers = m.callers[k];
    const head = element("h2"), kind = m.entries.includes(k) ? "entry" : c.fused ? "fused" : "computation";
    head.append(element("span", "chip", kind), " ", element("span", "full-name", c.name));
    parts.push(head);
    const rows = [["instructions", String(c.count)], ["parameters", String(c.parameters.length)]];
    if (m.hasCosts) {
      rows.push(["flops", shortNumber(m.total_flops[k])], ["transcendentals", shortNumber(m.total_transcendentals[k])], ["bytes", shortNumber(m.total_bytes[k], "B")]);
      rows.push(["runs", m.runs[k] < 0 ? "not known" : shortNumber(m.runs[k])]);
    }
    parts.push(this.section("Computation", this.table(rows)), this.histogram(c));
    if (m.hasCosts) parts.push(...this.dearest(c));
    parts.push(this.section("Parameters and root", this.links([...c.parameters, c.root], (id, at) => at < c.parameters.length ? String(at) : "root", 12)));
    if (callers.length) parts.push(this.section("Called by (" + callers.length + ")", this.links(callers, (id) => m.opcode(id))));
    return parts;
  }
  histogram(c) {
    const counts = new Map(), {m} = this;
    for (let id = c.first; id < c.first + c.count; id++) counts.set(m.opcode(id), (counts.get(m.opcode(id)) || 0) + 1);
    const rows = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 15), most = rows.length ? rows[0][1] : 1;
    return this.section("Operations", this.table(rows.map(([op, count]) => [op, String(count), count / most])));
  }
  dearest(c) {
    const {m} = this;
    return ["flops", "bytes"].map((what) => {
      const ids = [];
      for (let id = c.first; id < c.first + c.count; id++) if (m[what][id] > 0) ids.push(id);
      ids.sort((a, b) => m[what][b] - m[what][a]);
      return ids.length ? this.section("Most " + what, this.links(ids.slice(0, 8), (id) => shortNumber(m[what][id], what === "bytes" ? "B" : ""))) : "";
    }).filter((part) => part);
  }
}

// The file itself, or what --url says. `javascript:...` and the like are no files.
function sourceAddress(m, file, line) {
  if (/^[^/]*:/.test(file)) return "";
  const template = m.url || (line ? "{file}#L{line}" : "{file}");
  return template.replaceAll("{file}", () => encodeURI(file)).replaceAll("{line}", () => String(line));
}

// Clipboards of pages from files may be closed: then the text is copied out of a field.
function copyText(text) {
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}
