// Ends of the selection's edges that are far away: which they are, and the labels beside the selection that stand for them.

const FAR_DOWN = 500, FAR_ACROSS = 900; // pixels of the sheet
const MOST_STUBS = 6, STUB_STEP = 20, STUB_HEIGHT = 16, STUB_NAME = 28;

function isFar(frame, edge) {
  const down = frame.y[edge.to] - frame.y[edge.from] - frame.h[edge.from];
  return down > FAR_DOWN || Math.abs(frame.x[edge.to] - frame.x[edge.from]) > FAR_ACROSS;
}

// Of a kind of marked edges, "operand" or "user": {frame, edge, box, near}, `box` far away and `near` beside; each box once.
function farEnds(marks, kind) {
  const ends = [];
  for (const [frame, {edges}] of marks.frames) {
    const seen = new Set();
    for (const [e, of] of edges) {
      const edge = frame.base.edges[e], box = kind === "operand" ? edge.from : edge.to, near = kind === "operand" ? edge.to : edge.from;
      if (of !== kind || seen.has(box) || !isFar(frame, edge)) continue;
      seen.add(box);
      ends.push({frame, edge, box, near});
    }
  }
  return ends;
}

class Stubs {
  constructor(scene) {
    this.scene = scene;
    this.places = []; // {x, y, w, h} on the sheet, with {frame, box} of the end that each stands for
  }
  // Over all else, and as large on the screen as text can be read.
  draw(marks) {
    const {scene} = this, {ctx, scale} = scene;
    this.places = [];
    if (scale < 0.12) return;
    this.unit = 1 / Math.min(1, Math.max(scale, 0.3));
    ctx.font = 11 * this.unit + "px " + FONT;
    ctx.lineWidth = 1.4 * this.unit;
    for (const kind of ["operand", "user"]) {
      const ends = farEnds(marks, kind), shown = ends.slice(0, MOST_STUBS).map((end) => this.place(end, kind));
      if (ends.length > shown.length) shown.push({...shown[shown.length - 1], frame: null, text: ends.length - shown.length + " more"});
      // The rightmost operand is the lowest: lines to the others pass it at the left.
      if (kind === "operand") shown.reverse();
      shown.forEach((stub, k) => this.stack(stub, kind, k));
      for (const stub of shown) this.line(stub, kind);
      for (const stub of shown) this.label(stub, kind);
    }
  }
  place({frame, edge, box, near}, kind) {
    const {m} = this.scene, o = frame.origin(), isOperand = kind === "operand", id = frame.base.id[box];
    const number = isOperand && edge.number >= 0 && m.operandCount(frame.base.id[near]) > 1 ? edge.number + ": " : "";
    return {
      frame, box, text: (isOperand ? "\u2191 " : "\u2193 ") + number + cut(m.names[id], STUB_NAME) + (isOperand ? m.elementPath(edge.def) : ""),
      at: o.x + (isOperand ? frame.edgeEnd(edge) : frame.x[near]), end: o.y + frame.y[near] + (isOperand ? 0 : frame.h[near]),
    };
  }
  stack(stub, kind, k) {
    const {unit} = this, away = (8 + k * STUB_STEP) * unit;
    stub.w = this.scene.ctx.measureText(stub.text).width + 12 * unit;
    stub.h = STUB_HEIGHT * unit;
    stub.x = stub.at - 8 * unit;
    stub.y = kind === "operand" ? stub.end - away - stub.h : stub.end + away;
    if (stub.frame) this.places.push(stub);
  }
  line(stub, kind) {
    const {ctx, colours} = this.scene;
    ctx.strokeStyle = colours.sheet[kind];
    ctx.beginPath();
    ctx.moveTo(stub.at, stub.end);
    ctx.lineTo(stub.at, stub.y + stub.h / 2);
    ctx.stroke();
  }
  label({x, y, w, h, text}, kind) {
    const {ctx, colours} = this.scene;
    rounded(ctx, x, y, w, h, h / 2);
    ctx.fillStyle = colours.sheet.paper;
    ctx.fill();
    ctx.strokeStyle = colours.sheet[kind];
    ctx.stroke();
    ctx.fillStyle = colours.sheet.text;
    ctx.fillText(text, x + 6 * this.unit, y + h - 4.5 * this.unit);
  }
  // The end that a label at this place of the sheet stands for, or null.
  at(x, y) { return this.places.find((stub) => x >= stub.x && x <= stub.x + stub.w && y >= stub.y && y <= stub.y + stub.h) || null; }
}
