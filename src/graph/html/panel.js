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
    if (m.comparison) parts.splice(2, 0, ...this.difference(id));
    parts.push(...this.source(id), ...this.cost(id), ...this.time(id));
    if (operands.length) parts.push(this.section("Operands (" + operands.length + ")", this.links(operands, (_, k) => String(k))));
    if (users.length) parts.push(this.section("Users (" + users.length + ")", this.links(users, (user) => [...m.operands(user)].map((def, k) => def === id ? k : -1).filter((k) => k >= 0).slice(0, 3).join(",") || "before")));
    if (calls.length) parts.push(this.section("Calls", ...calls.map((call) => this.callLink(call))));
    const before = m.comparison && m.comparison.beforeCalls.get(id);
    if (before) parts.push(this.section("Called before", ...before.map((k) => this.computationLink(m.computations[k]))));
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
  // Of the whole profile, with what it calls.
  time(id) {
    const {m} = this, with_called = m.seconds && m.seconds[id], own = m.own_seconds && m.own_seconds[id];
    if (!m.hasTimes) return [];
    if (m.isRemoved(id)) return [this.section("Time", element("div", "remark", "not measured: only the other module has it"))];
    if (with_called < 0) return [this.section("Time", element("div", "remark", this.notMeasured(id)))];
    const share = (seconds) => m.all_seconds > 0 ? Math.min(1, seconds / m.all_seconds) : 0;
    const row = (name, seconds) => [name, shortTime(seconds) + " (" + (100 * share(seconds)).toPrecision(2) + "\u00a0%)", share(seconds)];
    const isSum = own !== with_called, rows = [row(isSum ? "with what it calls" : "time", with_called)];
    if (isSum) rows.push(own < 0 ? ["by itself", "not measured"] : row("by itself", own));
    return [this.section("Time in the profile", this.table(rows))];
  }
  // The time of what several instructions call is not attributed to one.
  notMeasured(id) {
    const {m} = this, seconds = Math.max(-1, ...(m.calls.get(id) || []).map((call) => m.total_seconds[call.computation]));
    return seconds < 0 ? "not measured: the profile does not name it" : "not known: others call the same computation, which takes " + shortTime(seconds) + " in all";
  }
  // ---- a comparison ----
  difference(id) {
    const {m} = this, {comparison} = m, kind = comparison.kindOf(id), parts = [], {fill, border} = this.app.colours.ofChange(kind);
    const chip = element("span", "chip change", kind === INSIDE ? INSIDE_STYLE[0] : m.change_styles[kind][0]);
    chip.style.background = fill;
    chip.style.borderColor = border;
    parts.push(element("div", "verdict"));
    parts[0].append(chip);
    for (const line of comparison.lines(id)) parts.push(element("div", "mono difference", line));
    const name = comparison.beforeName(id), text = comparison.beforeText(id);
    if (name) parts.push(element("div", "mono difference", "name: " + name + " became " + m.names[id]));
    if (text) parts.push(element("h3", "", "Before"), element("pre", "before", text), element("h3", "", "Now"));
    return parts;
  }
  differences(c) {
    const {m} = this, {comparison} = m, ids = m.instructionsOf(c).filter((id) => comparison.of(id)), parts = [];
    const was = comparison.wasNamed(c.number), header = m.entries.includes(c.number) ? comparison.headerLines() : [];
    if (was) parts.push(element("div", "mono difference", "name: " + was + " became " + c.name));
    if (c.first >= comparison.ownCount) parts.push(element("div", "remark", "only the other module has this computation"));
    if (header.length) parts.push(this.section("Header of the module", ...header.map((line) => element("div", "mono difference", line))));
    const inside = comparison.differWithCalled(c.number) - comparison.differ(c.number), more = inside ? ", and " + inside + " in what it calls" : "";
    const list = ids.length ? this.links(ids, (id) => CHANGE_SIGNS[comparison.of(id)], 12) : element("div", "remark", "none in this computation");
    parts.push(this.section("Differences (" + ids.length + more + ")", list));
    return parts;
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
    if (m.hasTimes) {
      const seconds = m.total_seconds[k];
      rows.push(["time", seconds >= 0 ? shortTime(seconds) : "not measured"]);
    }
    parts.push(this.section("Computation", this.table(rows)));
    if (m.comparison) parts.push(...this.differences(c));
    parts.push(this.histogram(c), ...this.dearest(c));
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
    const {m} = this, columns = (m.hasTimes ? ["seconds"] : []).concat(m.hasCosts ? ["flops", "bytes"] : []);
    return columns.map((what) => {
      const ids = [];
      for (let id = c.first; id < c.first + c.count; id++) if (m[what][id] > 0) ids.push(id);
      ids.sort((a, b) => m[what][b] - m[what][a]);
      const text = (id) => what === "seconds" ? shortTime(m[what][id]) : shortNumber(m[what][id], UNITS[what]);
      return ids.length ? this.section("Most " + (what === "seconds" ? "time" : what), this.links(ids.slice(0, 8), text)) : "";
    }).filter((part) => part);
  }
}

// The file itself, or the template of --url: as hlo_dot_url has it. `javascript:...` and the like are no places.
function sourceAddress(m, file, line) {
  const scheme = /^([^/]*?):/.exec(file);
  if (scheme && !/^(https?|file)$/i.test(scheme[1])) return "";
  const path = scheme ? encodeURI(file).replaceAll("%25", "%") : file.split("/").map(encodeURIComponent).join("/");
  const template = m.url || (line ? "{file}#L{line}" : "{file}");
  return template.replaceAll("{file}", () => path).replaceAll("{line}", () => String(line));
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
