// The module as the page has it: columns by number of the instruction, made by data.c, and what follows from them.

function bySparse(flat, width) {
  const rows = new Map();
  for (let i = 0; i < flat.length; i += width) {
    const row = rows.get(flat[i]) || [];
    row.push(width === 2 ? flat[i + 1] : flat.slice(i + 1, i + width));
    rows.set(flat[i], row);
  }
  return rows;
}

// Lists of different lengths one after the other: entry i is list[start[i]] to list[start[i + 1]].
function readOperands(flat, n) {
  const start = new Uint32Array(n + 1), list = new Uint32Array(flat.length - n);
  let at = 0, used = 0;
  for (let i = 0; i < n; i++) {
    start[i] = used;
    for (let k = flat[at++]; k > 0; k--) list[used++] = flat[at++];
  }
  start[n] = used;
  return {start, list};
}

// `more` are further pairs of a value and a user.
function usersOf(operands, n, more) {
  const start = new Uint32Array(n + 2), list = new Uint32Array(operands.list.length + more.length / 2);
  for (const def of operands.list) start[def + 2]++;
  for (let k = 0; k < more.length; k += 2) start[more[k] + 2]++;
  for (let i = 1; i <= n; i++) start[i + 1] += start[i];
  for (let user = 0; user < n; user++)
    for (let k = operands.start[user]; k < operands.start[user + 1]; k++)
      list[start[operands.list[k] + 1]++] = user;
  for (let k = 0; k < more.length; k += 2) list[start[more[k] + 1]++] = more[k + 1];
  return {start, list};
}

class Module {
  constructor(data) {
    const {operands, ...columns} = data;
    Object.assign(this, columns);
    this.n = this.names.length;
    this.operandLists = readOperands(operands, this.n);
    this.userLists = usersOf(this.operandLists, this.n, data.lone_edges || []);
    this.control = bySparse(data.control, 2);
    this.back = bySparse(data.back, 2);
    this.calls = new Map();
    for (const [id, rows] of bySparse(data.calls, 3))
      this.calls.set(id, rows.map(([role, computation]) => ({role: this.strings[role], computation})));
    this.hasCosts = this.flops.length > 0;
    this.hasTimes = data.seconds !== undefined;
    this.comparison = data.change ? new Comparison(this, data) : null;
    this.indexComputations();
  }
  indexComputations() {
    this.computationOf = new Uint32Array(this.n);
    this.parameterNumber = new Map();
    this.callers = this.computations.map(() => []);
    this.computations.forEach((c, k) => {
      c.number = k;
      this.computationOf.fill(k, c.first, c.first + c.count);
      c.parameters.forEach((id, number) => this.parameterNumber.set(id, number));
    });
    if (this.comparison) this.comparison.place(this.computationOf);
    for (const [id, rows] of this.calls) for (const row of rows) this.callers[row.computation].push(id);
  }
  operands(id) { return this.operandLists.list.subarray(this.operandLists.start[id], this.operandLists.start[id + 1]); }
  operandCount(id) { return this.operandLists.start[id + 1] - this.operandLists.start[id]; }
  users(id) { return [...new Set(this.userLists.list.subarray(this.userLists.start[id], this.userLists.start[id + 1]))]; }
  opcode(id) { return this.ops[this.op[id]][0]; }
  class(id) { return this.ops[this.op[id]][1]; }
  isCommutative(id) { return this.ops[this.op[id]][2] === 1; }
  shapeText(id) { return this.strings[this.shape[id]]; }
  isInlined(id) { return this.form[id] === 1; }
  isFolded(id) { return this.form[id] === 2; }
  // The instruction whose box the value comes from.
  source(id) {
    while (this.form[id] === 2) id = this.operandLists.list[this.operandLists.start[id]];
    return id;
  }
  // `[1][0]`: which element of a tuple a folded get-tuple-element is.
  elementPath(id) {
    let path = "";
    for (; this.form[id] === 2; id = this.operandLists.list[this.operandLists.start[id]])
      path = "[" + (/index=(\d+)/.exec(this.text[id]) || ["", "?"])[1] + "]" + path;
    return path;
  }
  // All instructions of a computation, those that only the other module has last.
  instructionsOf(c) {
    const ids = Array.from({length: c.count}, (_, k) => c.first + k);
    return this.comparison ? ids.concat(this.comparison.loneIn.get(c.number) || []) : ids;
  }
  changeOf(id) { return this.comparison ? this.comparison.of(id) : SAME; }
  isRemoved(id) { return this.changeOf(id) === REMOVED; }
  // What a click opens: computations that no line describes; the body of a loop before its condition.
  opened(id) {
    const calls = (this.calls.get(id) || []).filter((call) => this.computations[call.computation].does === undefined);
    return this.opcode(id) === "while" ? calls.reverse() : calls;
  }
  canOpen(id) { return this.opened(id).length > 0; }
  // Which operand of the caller a parameter of what it calls is; -1: none.
  callerOperand(caller, computation, parameter) {
    const op = this.opcode(caller);
    if (op === "while") return 0;
    if (op === "conditional") {
      const branch = this.calls.get(caller).findIndex((call) => call.computation === computation);
      return branch + 1 < this.operandCount(caller) ? branch + 1 : -1;
    }
    const direct = op === "fusion" || op === "call" || op === "async-start" || op === "custom-call";
    return direct && parameter < this.operandCount(caller) ? parameter : -1;
  }
}

// 0.00123 -> "1.23 ms"
function shortTime(seconds) {
  const steps = ["ns", "\u00b5s", "ms", "s"];
  let k = 0, value = seconds * 1e9;
  for (; value >= 999.5 && k < steps.length - 1; k++) value /= 1000;
  return (value >= 999.5 ? Math.round(value) : Number(value.toPrecision(3))) + "\u00a0" + steps[k];
}

// 1234567 -> "1.23 M"
function shortNumber(value, unit = "") {
  if (value < 0) return "not known";
  const steps = ["", "k", "M", "G", "T", "P", "E"];
  let k = 0;
  for (; value >= 999.5 && k < steps.length - 1; k++) value /= 1000;
  const text = k === 0 ? String(Math.round(value)) : value.toPrecision(3);
  const suffix = steps[k] + unit;
  return suffix ? text + "\u00a0" + suffix : text;
}
