// What is highlighted: the selection, its operands and users, through the borders of open boxes, and what a search found.

class Marks {
  constructor() { this.clear(); }
  clear() { this.frames = new Map(); }
  of(frame) {
    if (!this.frames.has(frame)) this.frames.set(frame, {boxes: new Map(), edges: new Map()});
    return this.frames.get(frame);
  }
  box(frame, box, kind) {
    if (box === undefined) return;
    const boxes = this.of(frame).boxes;
    if (!boxes.has(box)) boxes.set(box, kind);
  }
  kindOf(frame, box) {
    const marks = this.frames.get(frame);
    return marks && marks.boxes.get(box);
  }
}

// Whether `value` is reached from the element `folded` of a tuple.
function isThrough(m, value, folded) {
  for (; m.isFolded(value); value = m.operands(value)[0]) if (value === folded) return true;
  return value === folded;
}

function markEdges(marks, m, frame, id, kind) {
  const b = frame.base, box = b.boxOf.get(m.source(id)), edges = edgesOf(b);
  if (kind === "operand")
    for (const e of edges.in[box]) {
      if (!b.edges[e].isValue) continue;
      marks.of(frame).edges.set(e, kind);
      marks.box(frame, b.edges[e].from, kind);
    }
  else
    for (const e of edges.out[box]) {
      if (!b.edges[e].isValue || !isThrough(m, b.edges[e].def, id)) continue;
      marks.of(frame).edges.set(e, kind);
      marks.box(frame, b.edges[e].to, kind);
    }
}

// A parameter's operand stands outside of the open box, and so do the users of a root.
function markOutside(marks, m, frame, id) {
  if (!frame.holder) return;
  const {frame: outer, box} = frame.holder, caller = outer.base.id[box];
  if (m.parameterNumber.has(id) && m.opcode(id) === "parameter") {
    const number = m.callerOperand(caller, frame.computation.number, m.parameterNumber.get(id));
    for (const e of edgesOf(outer.base).in[box]) {
      const edge = outer.base.edges[e];
      if (!edge.isValue || edge.number !== number) continue;
      marks.of(outer).edges.set(e, "operand");
      marks.box(outer, edge.from, "operand");
    }
  }
  if (frame.computation.root === id) markEdges(marks, m, outer, caller, "user");
}

// Inlined constants have no box: their users have them.
function markUsersOfInlined(marks, m, frame, id) {
  for (const user of m.users(id)) {
    if (m.isInlined(user)) markUsersOfInlined(marks, m, frame, user);
    else marks.box(frame, frame.base.boxOf.get(m.source(user)), "user");
  }
}

function marksOf(m, selection) {
  const marks = new Marks();
  if (!selection) return marks;
  const {frame, id} = selection;
  if (m.isInlined(id)) markUsersOfInlined(marks, m, frame, id);
  else {
    marks.box(frame, frame.base.boxOf.get(m.source(id)), "selected");
    markEdges(marks, m, frame, id, "user");
    if (!m.isFolded(id)) markEdges(marks, m, frame, id, "operand");
    markOutside(marks, m, frame, id);
  }
  return marks;
}
