// Drawing on the canvas: only what is in sight, and no more of it than its size on the screen lets one see.

const FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif";
const LINE_HEIGHT = 14, SHAPE_LENGTH = 46, NAME_LENGTH = 40;
const MANY_EDGES = 4000; // while the drawing moves, longer ones than a screen are left out beyond
const DASHED_SCALE = 0.2; // below, dashes are too short to be seen, and so many that they take seconds
const LONG_EDGE = 6; // rows: longer ones are fainter
const MOST_LONG = 800; // long edges drawn at once: of more, which are a grey area, every so many

function thinned(edges) {
  const every = Math.ceil(edges.length / MOST_LONG);
  return every > 1 ? edges.filter((_, k) => k % every === 0) : edges;
}

function cut(text, length) { return text.length > length ? text.slice(0, length - 1) + "\u2026" : text; }

// `add.3` shows that it is an add: [bold, plain].
function titleOf(m, id) {
  const op = m.opcode(id), name = cut(m.names[id], NAME_LENGTH);
  if (name === op || name.startsWith(op + ".")) return [op, name.slice(op.length)];
  return [op, "  " + name];
}

class Scene {
  constructor(canvas, m, colours) {
    this.canvas = canvas;
    this.ctx = canvas.getContext("2d", {alpha: false});
    this.m = m;
    this.colours = colours;
    this.found = null; // Uint8Array by instruction, or null
    this.stubs = new Stubs(this);
  }
  resize() {
    const {clientWidth: w, clientHeight: h} = this.canvas, dpr = window.devicePixelRatio || 1;
    this.dpr = dpr;
    if (this.canvas.width !== Math.round(w * dpr)) this.canvas.width = Math.round(w * dpr);
    if (this.canvas.height !== Math.round(h * dpr)) this.canvas.height = Math.round(h * dpr);
  }
  // camera: {x, y} of the sheet at the left upper corner, and scale.
  draw(root, camera, marks, isMoving) {
    this.resize();
    const {ctx, canvas} = this;
    this.scale = camera.scale;
    this.marks = marks;
    this.isMoving = isMoving;
    this.hasSelection = marks.frames.size > 0;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.fillStyle = this.colours.sheet.sheet;
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    const s = camera.scale * this.dpr;
    ctx.setTransform(s, 0, 0, s, -camera.x * s, -camera.y * s);
    const w = canvas.width / s, h = canvas.height / s;
    this.frame(root, root.left, root.top, {x0: camera.x, y0: camera.y, x1: camera.x + w, y1: camera.y + h});
    this.stubs.draw(marks);
  }
  // `sight` is the visible part in coordinates of what holds the frame.
  frame(frame, left, top, sight) {
    const {ctx} = this;
    const inner = {x0: sight.x0 - left, y0: sight.y0 - top, x1: sight.x1 - left, y1: sight.y1 - top};
    if (inner.x1 < -20 || inner.y1 < -80 || inner.x0 > frame.width + 20 || inner.y0 > frame.height + 20) return;
    ctx.save();
    ctx.translate(left, top);
    const boxes = this.inSight(frame, inner);
    for (const box of boxes) if (frame.open.has(box)) this.openBox(frame, box, inner);
    this.edges(frame, inner);
    this.boxes(frame, boxes.filter((box) => !frame.open.has(box)));
    ctx.restore();
  }
  inSight(frame, sight) {
    const b = frame.base, boxes = [];
    for (let r = firstRow(frame, sight.y0); r < b.rowCount && frame.rowTop[r] <= sight.y1; r++)
      for (const i of b.rows[r]) {
        if (i >= b.n) continue;
        if (frame.x[i] - frame.w[i] / 2 > sight.x1) break;
        if (frame.x[i] + frame.w[i] / 2 >= sight.x0) boxes.push(i);
      }
    return boxes;
  }
  // ---- open boxes ----
  openBox(frame, box, sight) {
    const {ctx, m, scale} = this, id = frame.base.id[box], {fill, border} = this.colours.of(id), sheet = this.colours.sheet;
    const x = frame.x[box] - frame.w[box] / 2, y = frame.y[box], w = frame.w[box], h = frame.h[box];
    ctx.fillStyle = m.opcode(id) === "fusion" ? sheet.fused : sheet.frame;
    ctx.strokeStyle = this.strokeOf(frame, box, border);
    ctx.lineWidth = (this.marks.kindOf(frame, box) ? 2.5 : 1.2) / Math.min(1, Math.max(scale, 0.3));
    rounded(ctx, x, y, w, h, 8);
    ctx.fill();
    ctx.save();
    ctx.clip();
    ctx.fillStyle = fill;
    ctx.fillRect(x, y, w, HEAD);
    ctx.restore();
    if (m.isRemoved(id)) ctx.setLineDash([6, 4]);
    ctx.stroke();
    ctx.setLineDash([]);
    if (scale > 0.12) this.openTitle(frame, box, id, x, y, w);
    for (const inner of frame.open.get(box)) this.inside(frame, box, inner, x, y, sight);
  }
  openTitle(frame, box, id, x, y, w) {
    const {m} = this, sheet = this.colours.sheet;
    this.title(id, x + 10, y + 16, sheet);
    this.text(m.shapeText(id), x + 10, y + 31, sheet.faint, false, w - 20);
    this.badge(x + w - 16, y + 14, "\u2212");
  }
  inside(frame, box, inner, x, y, sight) {
    const {ctx, scale} = this, sheet = this.colours.sheet, id = frame.base.id[box];
    if (scale > 0.2) this.text(inner.holder.role + ": " + inner.computation.name, x + inner.left, y + HEAD + 13, sheet.faint, true, inner.width + FRAME_MARGIN);
    // Values pass the border at the places of the caller's edges.
    ctx.strokeStyle = sheet.edge;
    ctx.lineWidth = 0.9 / Math.max(scale, 0.25);
    ctx.setLineDash([3, 3]);
    ctx.beginPath();
    const count = this.m.operandCount(id);
    inner.computation.parameters.forEach((parameter, number) => {
      const to = inner.base.boxOf.get(parameter), operand = this.m.callerOperand(id, inner.computation.number, number);
      if (to === undefined || operand < 0) return;
      const x0 = frame.x[box] + ((operand + 1) / (count + 1) - 0.5) * frame.w[box] * 0.85;
      curve(ctx, x0, y, x + inner.left + inner.x[to], y + inner.top + inner.y[to]);
    });
    const root = inner.base.boxOf.get(inner.computation.root);
    if (root !== undefined) curve(ctx, x + inner.left + inner.x[root], y + inner.top + inner.y[root] + inner.h[root], frame.x[box], y + frame.h[box]);
    ctx.stroke();
    ctx.setLineDash([]);
    this.frame(inner, x + inner.left, y + inner.top, sight);
  }
  // ---- edges ----
  edges(frame, sight) {
    const {ctx, scale} = this, b = frame.base, bounds = frame.bounds, marks = this.marks.frames.get(frame), sheet = this.colours.sheet;
    const skipLong = this.isMoving && b.edges.length > MANY_EDGES, most = (sight.y1 - sight.y0) / 2, drawn = [], allLong = [];
    for (let e = 0; e < b.edges.length; e++) {
      const at = 4 * e;
      if (bounds[at] > sight.x1 || bounds[at + 2] < sight.x0 || bounds[at + 1] > sight.y1 || bounds[at + 3] < sight.y0) continue;
      if (skipLong && bounds[at + 3] - bounds[at + 1] > most) continue;
      if (!marks || !marks.edges.has(e)) (this.isLong(frame, e) ? allLong : drawn).push(e);
    }
    const long = thinned(allLong);
    ctx.lineWidth = Math.max(0.9, 0.55 / scale);
    // Many lines beside each other must not hide what they lead to.
    const dim = this.hasSelection ? 0.5 : 1;
    ctx.globalAlpha = dim * Math.min(0.4, Math.max(0.05, 150 / (long.length + 1)));
    this.paths(frame, long, "operand", sheet.edge);
    this.paths(frame, long, "lone", sheet.lone, [5, 4]);
    ctx.globalAlpha = dim * (scale < 0.15 ? 0.6 : 1);
    this.paths(frame, drawn, "operand", sheet.edge);
    this.paths(frame, drawn, "lone", sheet.lone, [5, 4]);
    this.paths(frame, drawn, "control", "#c0503c", [6, 4]);
    this.paths(frame, drawn, "back", "#3f74c7", [6, 4]);
    ctx.globalAlpha = 1;
    if (scale > 0.45) this.labels(frame, drawn.concat(allLong), sight);
    if (marks) this.markedEdges(frame, marks, sheet);
  }
  isLong(frame, e) {
    const edge = frame.base.edges[e];
    return edge.isValue && frame.base.row[edge.to] - frame.base.row[edge.from] > LONG_EDGE;
  }
  paths(frame, edges, kind, colour, dash = []) {
    const {ctx, scale} = this;
    ctx.strokeStyle = ctx.fillStyle = colour;
    if (scale > DASHED_SCALE) ctx.setLineDash(dash);
    ctx.beginPath();
    let count = 0;
    for (const e of edges) {
      const edge = frame.base.edges[e];
      if (edge.kind !== kind) continue;
      path(ctx, frame, edge, scale < 0.12);
      if (++count % 128) continue;
      ctx.stroke(); // many short paths are faster than a long one
      ctx.beginPath();
    }
    ctx.stroke();
    ctx.setLineDash([]);
    if (scale < 0.3) return;
    ctx.beginPath();
    for (const e of edges) if (frame.base.edges[e].kind === kind) arrow(ctx, frame, frame.base.edges[e]);
    ctx.fill();
  }
  markedEdges(frame, marks, sheet) {
    const {ctx, scale} = this;
    for (const kind of ["operand", "user"]) {
      ctx.strokeStyle = ctx.fillStyle = sheet[kind];
      ctx.lineWidth = Math.max(1.8, 1.4 / scale);
      for (const [e, of] of marks.edges) {
        if (of !== kind) continue;
        ctx.beginPath();
        path(ctx, frame, frame.base.edges[e], false);
        ctx.stroke();
        ctx.beginPath();
        arrow(ctx, frame, frame.base.edges[e], 1.5);
        ctx.fill();
      }
    }
  }
  labels(frame, edges, sight) {
    const {ctx, m} = this;
    ctx.font = "8px " + FONT;
    ctx.fillStyle = this.colours.sheet.faint;
    for (const e of edges) {
      const edge = frame.base.edges[e], user = frame.base.id[edge.to];
      if (!edge.isValue || edge.number < 0 || frame.y[edge.to] < sight.y0 || frame.y[edge.to] - 15 > sight.y1) continue;
      const isNumbered = m.operandCount(user) > 1 && !m.isCommutative(user);
      const label = (isNumbered ? String(edge.number) : "") + (m.isFolded(edge.def) ? (isNumbered ? " " : "") + m.elementPath(edge.def) : "");
      if (label) ctx.fillText(label, frame.edgeEnd(edge) + 3, frame.y[edge.to] - 7 - (edge.number % 2) * 8);
    }
  }
  // ---- boxes ----
  strokeOf(frame, box, border) {
    const kind = this.marks.kindOf(frame, box);
    if (kind) return this.colours.sheet[kind];
    return this.found && this.found[frame.base.id[box]] ? this.colours.sheet.found : border;
  }
  boxes(frame, boxes) {
    const {ctx, scale, m} = this, b = frame.base;
    for (const box of boxes) {
      const id = b.id[box], {fill, border} = this.colours.of(id), kind = this.marks.kindOf(frame, box);
      const isFound = this.found && this.found[id], x = frame.x[box] - frame.w[box] / 2, y = frame.y[box];
      ctx.fillStyle = fill;
      if (scale < 0.1) {
        ctx.fillRect(x, y, frame.w[box], frame.h[box]);
        if (!kind && !isFound) {
          ctx.fillStyle = border;
          ctx.fillRect(x, y, frame.w[box], Math.min(frame.h[box], 6));
          continue;
        }
      }
      rounded(ctx, x, y, frame.w[box], frame.h[box], m.opcode(id) === "parameter" ? 14 : 5);
      ctx.fill();
      ctx.strokeStyle = this.strokeOf(frame, box, border);
      ctx.lineWidth = (kind === "selected" ? 3 : kind || isFound ? 2.4 : frame.computation.root === id ? 2 : 1) / Math.min(1, Math.max(scale, kind || isFound ? 0.08 : 0.4));
      if (m.isRemoved(id)) ctx.setLineDash([5 / Math.min(1, scale), 3 / Math.min(1, scale)]);
      ctx.stroke();
      ctx.setLineDash([]);
      if (scale >= 0.34) this.boxText(frame, box, id, x, y);
      else if (scale >= 0.1) this.boxName(frame, box, id);
    }
  }
  title(id, x, y, sheet) {
    const {ctx} = this, [bold, plain] = titleOf(this.m, id);
    ctx.font = "bold 11px " + FONT;
    ctx.fillStyle = sheet.text;
    ctx.fillText(bold, x, y);
    const width = ctx.measureText(bold).width;
    ctx.font = "11px " + FONT;
    ctx.fillText(plain, x + width, y);
  }
  text(text, x, y, colour, isSmall = false, most = 0) {
    this.ctx.font = (isSmall ? "10px " : "11px ") + FONT;
    this.ctx.fillStyle = colour;
    this.ctx.fillText(most ? this.cutTo(text, most) : text, x, y);
  }
  // What of the text is not wider than `most` in the font that is set.
  cutTo(text, most) {
    let shown = cut(text, 80), width;
    while ((width = this.ctx.measureText(shown).width) > most && shown.length > 1) shown = cut(text, Math.min(shown.length - 1, Math.ceil(shown.length * most / width)));
    return shown;
  }
  boxText(frame, box, id, x, y) {
    const {m} = this, sheet = this.colours.sheet;
    if (frame.computation.root === id) rounded(this.ctx, x + 2.5, y + 2.5, frame.w[box] - 5, frame.h[box] - 5, 4), this.ctx.lineWidth = 0.8, this.ctx.stroke();
    this.title(id, x + 9, y + 15, sheet);
    this.text(cut(m.shapeText(id), SHAPE_LENGTH), x + 9, y + 15 + LINE_HEIGHT, this.colours.isHeat() ? sheet.text : sheet.faint);
    let at = y + 15 + 2 * LINE_HEIGHT;
    for (const line of linesOf(m, id)) {
      this.text(line, x + 9, at, sheet.text);
      at += LINE_HEIGHT;
    }
    if (!m.canOpen(id)) return;
    const count = m.opened(id).reduce((sum, call) => sum + m.computations[call.computation].count, 0);
    const differ = m.comparison && !m.changeOf(id) ? m.comparison.inside(id) : 0;
    this.text(count + (count === 1 ? " instruction" : " instructions") + (differ ? ", " + differ + (differ === 1 ? " differs" : " differ") : ""), x + 24, at, sheet.faint);
    this.badge(x + 14, at - 4, "+");
  }
  badge(x, y, sign) {
    const {ctx} = this, sheet = this.colours.sheet;
    ctx.beginPath();
    ctx.arc(x, y, 5.5, 0, 7);
    ctx.fillStyle = sheet.paper;
    ctx.fill();
    ctx.strokeStyle = sheet.faint;
    ctx.lineWidth = 1;
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(x - 3, y);
    ctx.lineTo(x + 3, y);
    if (sign === "+") ctx.moveTo(x, y - 3), ctx.lineTo(x, y + 3);
    ctx.stroke();
  }
  // Where lines would be too small to read: the operation alone, as large as the box.
  boxName(frame, box, id) {
    const {ctx, scale} = this, op = this.m.opcode(id);
    const size = Math.min(frame.h[box] * 0.5, (frame.w[box] - 8) / (op.length * 0.58));
    if (size * scale < 4.5) return;
    ctx.font = "bold " + size.toFixed(1) + "px " + FONT;
    ctx.fillStyle = this.colours.sheet.text;
    ctx.textAlign = "center";
    ctx.fillText(op, frame.x[box], frame.y[box] + frame.h[box] / 2 + size * 0.35);
    ctx.textAlign = "left";
  }
}

function linesOf(m, id) { return m.line_strings[m.lines[id]].split("\n").filter((line) => line); }

function firstRow(frame, y) {
  let low = 0, high = frame.base.rowCount;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (frame.rowEnd[middle] < y) low = middle + 1;
    else high = middle;
  }
  return low;
}

function rounded(ctx, x, y, w, h, radius) {
  ctx.beginPath();
  ctx.roundRect(x, y, w, h, Math.min(radius, h / 2, w / 2));
}

// Straight down at both ends.
function curve(ctx, x0, y0, x1, y1) {
  const pull = Math.min(Math.max(Math.abs(y1 - y0) / 2.5, 8), 90);
  ctx.moveTo(x0, y0);
  ctx.bezierCurveTo(x0, y0 + pull, x1, y1 - pull, x1, y1);
}

function path(ctx, frame, edge, isCoarse) {
  let x = frame.x[edge.from], y = frame.y[edge.from] + frame.h[edge.from];
  const x1 = frame.edgeEnd(edge), y1 = frame.y[edge.to];
  if (edge.kind === "back") return backPath(ctx, frame, edge, x, y, x1, y1);
  if (isCoarse) {
    ctx.moveTo(x, y);
    for (let k = edge.first; k < edge.first + edge.bends; k += 1) ctx.lineTo(frame.bendX[k], frame.rowTop[frame.base.bendRow[k]]);
    ctx.lineTo(x1, y1);
    return;
  }
  // A lane through each row that is crossed.
  for (let k = edge.first; k < edge.first + edge.bends; k++) {
    const row = frame.base.bendRow[k];
    if (row >= frame.base.rowCount) break;
    curve(ctx, x, y, frame.bendX[k], frame.rowTop[row]);
    ctx.lineTo(frame.bendX[k], frame.rowEnd[row]);
    x = frame.bendX[k];
    y = frame.rowEnd[row];
  }
  curve(ctx, x, y, x1, y1);
}

function backPath(ctx, frame, edge, x, y, x1, y1) {
  const side = Math.max(x + frame.w[edge.from] / 2, frame.x[edge.to] + frame.w[edge.to] / 2) + 30;
  ctx.moveTo(x, y);
  ctx.bezierCurveTo(x, y + 30, side, y + 30, side, y);
  ctx.lineTo(side, y1);
  ctx.bezierCurveTo(side, y1 - 30, x1, y1 - 30, x1, y1);
}

function arrow(ctx, frame, edge, size = 1) {
  const x = frame.edgeEnd(edge), y = frame.y[edge.to];
  ctx.moveTo(x, y);
  ctx.lineTo(x - 3 * size, y - 6 * size);
  ctx.lineTo(x + 3 * size, y - 6 * size);
  ctx.closePath();
}
