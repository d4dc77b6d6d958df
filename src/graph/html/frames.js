// A frame is a computation as it is drawn in one place: positions of its boxes, and frames inside of boxes that are
// open. A box that is opened grows; rows below move down, and boxes beside it move aside without changing their order.

const BETWEEN_BOXES = 14, BETWEEN_ROWS = 34, FRAME_MARGIN = 16, HEAD = 40, FRAME_TITLE = 18, BETWEEN_FRAMES = 24;

// What is the same for all frames of a computation, decoded when one is drawn first.
function basePlaces(m, c) {
  if (c.base) return c.base;
  const n = c.boxes.length / 5;
  const b = {n, id: new Uint32Array(n), x: new Float64Array(n), row: new Uint32Array(n), w: new Float64Array(n), h: new Float64Array(n),
             boxOf: new Map(), rowCount: 0, width: 0};
  for (let i = 0; i < n; i++) {
    b.id[i] = c.first + c.boxes[5 * i];
    b.x[i] = c.boxes[5 * i + 1];
    b.row[i] = c.boxes[5 * i + 2];
    b.w[i] = c.boxes[5 * i + 3];
    b.h[i] = c.boxes[5 * i + 4];
    b.boxOf.set(b.id[i], i);
    b.rowCount = Math.max(b.rowCount, b.row[i] + 1);
    b.width = Math.max(b.width, b.x[i] + b.w[i] / 2);
  }
  readEdges(m, c, b);
  fillRows(b);
  return c.base = b;
}

function readEdges(m, c, b) {
  const edges = [], bendX = [], bendRow = [];
  let at = 0;
  const add = (edge) => {
    edge.first = bendX.length;
    edge.bends = c.bends[at++] || 0;
    for (let k = 0; k < edge.bends; k++) {
      bendX.push(c.bends[at++]);
      bendRow.push(b.row[edge.from] + 1 + k);
    }
    edges.push(edge);
  };
  for (let to = 0; to < b.n; to++) {
    const user = b.id[to], count = m.operandCount(user);
    m.operands(user).forEach((def, number) => {
      if (m.isInlined(def)) return;
      add({from: b.boxOf.get(m.source(def)), to, def, number, share: (number + 1) / (count + 1), kind: m.isRemoved(user) ? "lone" : "operand", isValue: true});
    });
    for (const before of m.control.get(user) || []) add({from: b.boxOf.get(before), to, def: before, number: 0, share: 0.5, kind: "control"});
    // What its counterpart uses and the module does not have.
    for (const lone of m.comparison && m.comparison.loneBefore.get(user) || []) if (!m.isInlined(lone)) add({from: b.boxOf.get(lone), to, def: lone, number: -1, share: 0.5, kind: "lone", isValue: true});
  }
  for (let to = 0; to < b.n; to++)
    for (const next of m.back.get(b.id[to]) || [])
      edges.push({from: b.boxOf.get(next), to, def: next, number: 1, share: 0.9, kind: "back", first: 0, bends: 0});
  b.edges = edges;
  b.bendX = Float64Array.from(bendX);
  b.bendRow = Uint32Array.from(bendRow);
  b.edgesOf = null;
}

// Boxes and bends (n and following) of each row, from left to right.
function fillRows(b) {
  b.rows = Array.from({length: b.rowCount}, () => []);
  for (let i = 0; i < b.n; i++) b.rows[b.row[i]].push(i);
  for (let k = 0; k < b.bendX.length; k++) if (b.bendRow[k] < b.rowCount) b.rows[b.bendRow[k]].push(b.n + k);
  const x = (i) => i < b.n ? b.x[i] : b.bendX[i - b.n];
  for (const row of b.rows) row.sort((i, j) => x(i) - x(j));
}

// Edges by box: numbers of those that end or begin there.
function edgesOf(b) {
  if (b.edgesOf) return b.edgesOf;
  b.edgesOf = {in: Array.from({length: b.n}, () => []), out: Array.from({length: b.n}, () => [])};
  b.edges.forEach((edge, e) => {
    b.edgesOf.in[edge.to].push(e);
    b.edgesOf.out[edge.from].push(e);
  });
  return b.edgesOf;
}

class Frame {
  constructor(m, computation, holder) {
    this.m = m;
    this.computation = computation;
    this.holder = holder; // {frame, box, role} or null
    this.base = basePlaces(m, computation);
    const b = this.base;
    this.open = new Map(); // by box: frames
    this.x = Float64Array.from(b.x);
    this.w = Float64Array.from(b.w);
    this.h = Float64Array.from(b.h);
    this.y = new Float64Array(b.n); // the upper side
    this.bendX = Float64Array.from(b.bendX);
    this.rowTop = new Float64Array(b.rowCount + 1);
    this.rowEnd = new Float64Array(b.rowCount + 1);
    this.left = 0; // of this frame, in what holds it; or on the sheet
    this.top = 0;
    this.place();
  }
  place() {
    const b = this.base;
    for (let i = 0; i < b.n; i++) {
      this.w[i] = b.w[i];
      this.h[i] = b.h[i];
    }
    for (const [box, frames] of this.open) this.sizeOpen(box, frames);
    const moved = new Set([...this.open.keys()].map((box) => b.row[box]));
    this.x.set(b.x);
    this.bendX.set(b.bendX);
    for (const row of moved) this.moveAside(row);
    this.placeRows();
    this.bound();
    this.setEdgeBounds();
  }
  sizeOpen(box, frames) {
    let w = FRAME_MARGIN, h = 0;
    for (const frame of frames) {
      frame.left = w;
      frame.top = HEAD + FRAME_TITLE;
      w += frame.width + BETWEEN_FRAMES;
      h = Math.max(h, frame.height);
    }
    this.w[box] = Math.max(this.base.w[box] + 40, w - BETWEEN_FRAMES + FRAME_MARGIN);
    this.h[box] = HEAD + FRAME_TITLE + h + FRAME_MARGIN;
  }
  // The places nearest to those that the row had which keep order and distance.
  moveAside(row) {
    const b = this.base, blocks = [], members = b.rows[row], offset = [];
    let at = 0;
    members.forEach((i, k) => {
      const isBox = i < b.n, w = isBox ? this.w[i] : 2;
      offset[k] = at + w / 2;
      at += w + (isBox ? BETWEEN_BOXES : 4);
      const wish = (isBox ? b.x[i] : b.bendX[i - b.n]) - offset[k];
      blocks.push({first: k, sum: wish, n: 1, left: wish});
      while (blocks.length > 1 && blocks[blocks.length - 1].left < blocks[blocks.length - 2].left) {
        const last = blocks.pop(), into = blocks[blocks.length - 1];
        into.sum += last.sum;
        into.n += last.n;
        into.left = into.sum / into.n;
      }
    });
    for (const block of blocks)
      for (let k = block.first; k < block.first + block.n; k++) {
        const i = members[k], x = block.left + offset[k];
        if (i < b.n) this.x[i] = x;
        else this.bendX[i - b.n] = x;
      }
  }
  placeRows() {
    const b = this.base;
    const height = new Float64Array(b.rowCount);
    for (let i = 0; i < b.n; i++) height[b.row[i]] = Math.max(height[b.row[i]], this.h[i]);
    let y = 0;
    for (let r = 0; r < b.rowCount; r++) {
      this.rowTop[r] = y;
      this.rowEnd[r] = y + height[r];
      y += height[r] + BETWEEN_ROWS;
    }
    this.height = Math.max(0, y - BETWEEN_ROWS);
    for (let i = 0; i < b.n; i++) this.y[i] = this.rowTop[b.row[i]];
  }
  bound() {
    let left = 0, right = this.base.width;
    for (let i = 0; i < this.base.n; i++) {
      left = Math.min(left, this.x[i] - this.w[i] / 2);
      right = Math.max(right, this.x[i] + this.w[i] / 2);
    }
    for (const x of this.bendX) {
      left = Math.min(left, x - 4);
      right = Math.max(right, x + 4);
    }
    if (left < 0) {
      for (let i = 0; i < this.base.n; i++) this.x[i] -= left;
      for (let k = 0; k < this.bendX.length; k++) this.bendX[k] -= left;
    }
    this.width = right - left;
  }
  setEdgeBounds() {
    const edges = this.base.edges, bounds = this.bounds || (this.bounds = new Float32Array(4 * edges.length));
    edges.forEach((edge, e) => {
      let x0 = this.x[edge.from], x1 = this.edgeEnd(edge);
      if (x0 > x1) [x0, x1] = [x1, x0];
      for (let k = edge.first; k < edge.first + edge.bends; k++) {
        x0 = Math.min(x0, this.bendX[k]);
        x1 = Math.max(x1, this.bendX[k]);
      }
      const y0 = this.y[edge.from], y1 = this.y[edge.to] + this.h[edge.to];
      bounds[4 * e] = x0;
      bounds[4 * e + 1] = Math.min(y0, this.y[edge.to]);
      bounds[4 * e + 2] = x1;
      bounds[4 * e + 3] = Math.max(y1, y0 + this.h[edge.from]);
    });
  }
  edgeEnd(edge) { return this.x[edge.to] + (edge.share - 0.5) * this.w[edge.to] * 0.85; }
  // The left upper corner on the sheet.
  origin() {
    if (!this.holder) return {x: this.left, y: this.top};
    const {frame, box} = this.holder, at = frame.origin();
    return {x: at.x + frame.x[box] - frame.w[box] / 2 + this.left, y: at.y + frame.y[box] + this.top};
  }
  boxRect(box) {
    const at = this.origin();
    return {x: at.x + this.x[box] - this.w[box] / 2, y: at.y + this.y[box], w: this.w[box], h: this.h[box]};
  }
  // After a change inside: this one and those around it, outwards.
  placeOutwards() {
    for (let frame = this; frame; frame = frame.holder && frame.holder.frame) frame.place();
  }
  setOpen(box, open) {
    if (open === this.open.has(box)) return;
    const id = this.base.id[box];
    if (open) this.open.set(box, this.m.opened(id).map((call) =>
      new Frame(this.m, this.m.computations[call.computation], {frame: this, box, role: call.role})));
    else this.open.delete(box);
    this.placeOutwards();
  }
  closeAll() {
    this.open.clear();
    this.placeOutwards();
  }
  // The innermost box at a place of the sheet: {frame, box}, or null.
  at(x, y) {
    const o = this.origin();
    return this.atLocal(x - o.x, y - o.y);
  }
  atLocal(x, y) {
    const b = this.base;
    let low = 0, high = b.rowCount;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.rowEnd[middle] < y) low = middle + 1;
      else high = middle;
    }
    if (low === b.rowCount || y < this.rowTop[low]) return null;
    for (const i of b.rows[low]) {
      if (i >= b.n || Math.abs(x - this.x[i]) > this.w[i] / 2 || y > this.y[i] + this.h[i]) continue;
      for (const inner of this.open.get(i) || []) {
        const found = inner.atLocal(x - (this.x[i] - this.w[i] / 2) - inner.left, y - this.y[i] - inner.top);
        if (found) return found;
      }
      return {frame: this, box: i};
    }
    return null;
  }
  // All frames that are shown, from the outermost inwards.
  *all() {
    yield this;
    for (const frames of this.open.values()) for (const frame of frames) yield* frame.all();
  }
}
