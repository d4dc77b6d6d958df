// Colours: of classes of operations (the table style.def), shardings, buffers and costs, for light and dark pages.

function mix(a, b, share) {
  const part = (text, at) => parseInt(text.slice(at, at + 2), 16);
  return "#" + [1, 3, 5].map((at) => Math.round(part(a, at) * (1 - share) + part(b, at) * share).toString(16).padStart(2, "0")).join("");
}

const SHEETS = {
  light: {sheet: "#f7f8fa", text: "#1b1f27", faint: "#5d6675", edge: "#8d96a5", frame: "#ffffff", fused: "#eef2f7", line: "#c3cad5",
          selected: "#d4380d", operand: "#1668c7", user: "#c2570c", found: "#e3b100", paper: "#ffffff", lone: "#d98a80"},
  dark: {sheet: "#14171d", text: "#e8ebf0", faint: "#9aa4b5", edge: "#667184", frame: "#1a1e26", fused: "#1d232e", line: "#3a4352",
         selected: "#ff7a50", operand: "#5aa9ff", user: "#ffb057", found: "#ffe066", paper: "#1b1f27", lone: "#a85a50"},
};
const INSIDE_STYLE = ["unchanged, but what it calls differs", "#f7f0d8", "#c9a640"];
const UNITS = {flops: "", bytes: "B"};
const GREY = {fill: "#252a33", border: "#59616f"}; // on dark pages, what does not matter
const HEAT_SHARES = [0, 0.14, 0.26, 0.4, 0.55, 0.72]; // of the fills, on dark pages
const UNKNOWN = 6; // after the steps of heat from 0, nothing, to 5

class Colours {
  constructor(m) {
    this.m = m;
    this.isDark = false;
    this.by = "class";
    this.tables = {};
    this.numbers = {sharding: this.count("sharding"), memory: this.count("memory")};
  }
  get sheet() { return this.isDark ? SHEETS.dark : SHEETS.light; }
  // Strings that a column has, by first use.
  count(column) {
    const numbers = new Map();
    for (const row of this.m[column]) if (row && !numbers.has(row)) numbers.set(row, numbers.size);
    return numbers;
  }
  ways() {
    const ways = [["class", "operation"]];
    if (this.numbers.sharding.size) ways.push(["sharding", "sharding"]);
    if (this.numbers.memory.size) ways.push(["memory", "memory"]);
    if (this.m.hasCosts) ways.push(["flops", "flops (heat)"], ["bytes", "bytes (heat)"]);
    if (this.m.hasTimes) ways.push(["seconds", "time (heat)"]);
    if (this.m.comparison) ways.push(["change", "differences"]);
    return ways;
  }
  // {fill, border} of a light page, for the dark one too.
  adapt(fill, border) {
    const key = fill + border + this.isDark;
    if (this.tables[key]) return this.tables[key];
    const pair = this.isDark ? {fill: mix(border, "#161a21", 0.55), border: mix(border, "#ffffff", 0.22)} : {fill, border};
    return this.tables[key] = pair;
  }
  ofClass(number) {
    const row = this.m.classes[number], key = this.isDark ? "dark" : "light"; // asked for each box that is drawn
    return row[key] || (row[key] = this.adapt(row[1], row[2]));
  }
  ofString(column, row) {
    const fill = row ? this.m.palette[this.numbers[column].get(row)] || "#c8c8c8" : "#ffffff";
    return this.adapt(fill, row ? mix(fill, "#203040", 0.55) : "#8a8a8a");
  }
  ofChange(kind) {
    const [, fill, border] = kind === INSIDE ? INSIDE_STYLE : this.m.change_styles[kind];
    if (!this.isDark) return this.adapt(fill, border);
    return kind === SAME ? GREY : kind === INSIDE ? {fill: GREY.fill, border: mix(border, "#ffffff", 0.22)} : this.adapt(fill, border);
  }
  isHeat() { return this.by === "flops" || this.by === "bytes" || this.by === "seconds"; }
  ofHeat(step) {
    if (step === UNKNOWN) return this.isDark ? GREY : this.adapt(this.m.heat[step], "#8a8a8a");
    const fill = this.m.heat[step];
    if (this.isDark) return {fill: mix("#1e222b", fill, HEAT_SHARES[step]), border: step ? mix("#1e222b", fill, Math.min(1, HEAT_SHARES[step] + 0.25)) : GREY.border};
    return this.adapt(fill, step ? mix(fill, "#401000", 0.35) : "#9aa0aa");
  }
  // Six steps, each four times the one before; the hottest are those of the most expensive instruction.
  heatOf(column, id) {
    const value = this.m[column][id], most = this.most(column);
    if (!(value >= 0)) return UNKNOWN;
    if (value === 0 || !most) return 0;
    return Math.max(1, 5 - Math.floor(Math.log(most / value) / Math.log(4)));
  }
  most(column) {
    const key = "most " + column;
    if (this.tables[key] === undefined) this.tables[key] = this.m[column].reduce((a, b) => Math.max(a, b), 0);
    return this.tables[key];
  }
  of(id) {
    if (this.by === "class") return this.ofClass(this.m.class(id));
    if (this.isHeat()) return this.ofHeat(this.heatOf(this.by, id));
    if (this.by === "change") return this.ofChange(this.m.comparison.kindOf(id));
    return this.ofString(this.by, this.m[this.by][id]);
  }
  // Rows [colour, text] of the legend.
  legend() {
    if (this.by === "class") {
      const used = new Set(this.m.op.map((op) => this.m.ops[op][1]));
      return this.m.classes.map((row, k) => [k, row[0]]).filter(([k]) => used.has(k)).map(([k, text]) => [this.ofClass(k), text]);
    }
    if (this.isHeat()) return this.legendOfHeat();
    if (this.by === "change") return this.legendOfChanges();
    const rows = [...this.numbers[this.by].keys()].slice(0, this.m.palette.length).map((row) => [this.ofString(this.by, row), this.m.strings[row]]);
    return rows.concat([[this.ofString(this.by, 0), "no " + this.by]]);
  }
  legendOfHeat() {
    const {by} = this, most = this.most(by), text = (value) => by === "seconds" ? shortTime(value) : shortNumber(value, UNITS[by]);
    const used = new Set();
    for (let id = 0; id < this.m.n; id++) used.add(this.heatOf(by, id));
    const rows = [5, 4, 3, 2].map((step) => [step, "from " + text(most / 4 ** (6 - step))]);
    rows.push([1, "less"], [0, "none"], [UNKNOWN, by === "seconds" ? "not measured" : "not known"]);
    return rows.filter(([step]) => used.has(step)).map(([step, row]) => [this.ofHeat(step), row]);
  }
  legendOfChanges() {
    const {m} = this, used = new Set();
    for (let id = 0; id < m.n; id++) used.add(m.comparison.kindOf(id));
    return [CHANGED, ADDED, REMOVED, INSIDE, SAME].filter((kind) => used.has(kind)).map((kind) =>
      [this.ofChange(kind), kind === INSIDE ? INSIDE_STYLE[0] : m.change_styles[kind][0], kind === REMOVED]);
  }
}
