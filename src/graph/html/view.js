// The camera over the sheet, the overview in the corner, and the mouse.

const LEAST_SCALE = 0.0005, MOST_SCALE = 6, SETTLED = 140; // milliseconds after which all is drawn again

class View {
  constructor(app) {
    this.app = app;
    this.canvas = document.getElementById("scene");
    this.map = document.getElementById("map");
    this.camera = {x: 0, y: 0, scale: 1};
    this.lastMove = 0;
    this.listen();
    new ResizeObserver(() => this.redraw()).observe(this.canvas);
  }
  get width() { return this.canvas.clientWidth; }
  get height() { return this.canvas.clientHeight; }
  redraw(isMoving = false) {
    if (isMoving) this.lastMove = performance.now();
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.drawNow();
    });
  }
  drawNow() {
    const isMoving = performance.now() - this.lastMove < SETTLED;
    this.app.scene.draw(this.app.root, this.camera, this.app.marks, isMoving);
    this.drawMap();
    document.getElementById("zoom").textContent = (this.camera.scale >= 0.095 ? Math.round(this.camera.scale * 100) : (this.camera.scale * 100).toPrecision(1)) + "%";
    this.firstDrawn = this.firstDrawn || performance.now(); // since the page was asked for
    if (!isMoving) return;
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.redraw(), SETTLED + 10);
  }
  toSheet(x, y) { return {x: this.camera.x + x / this.camera.scale, y: this.camera.y + y / this.camera.scale}; }
  toScreen(x, y) { return {x: (x - this.camera.x) * this.camera.scale, y: (y - this.camera.y) * this.camera.scale}; }
  zoomAt(factor, x = this.width / 2, y = this.height / 2) {
    const at = this.toSheet(x, y), scale = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, this.camera.scale * factor));
    this.camera = {scale, x: at.x - x / scale, y: at.y - y / scale};
    this.redraw(true);
  }
  pan(dx, dy) {
    this.camera.x += dx / this.camera.scale;
    this.camera.y += dy / this.camera.scale;
    this.redraw(true);
  }
  fitScale() {
    const {root} = this.app;
    return Math.min((this.width - 60) / Math.max(root.width, 1), (this.height - 60) / Math.max(root.height, 1), 1.5);
  }
  fit() {
    const {root} = this.app, scale = Math.max(this.fitScale(), LEAST_SCALE);
    this.camera = {scale, x: root.left + root.width / 2 - this.width / 2 / scale, y: root.top + root.height / 2 - this.height / 2 / scale};
    this.redraw();
  }
  // All of it where it can be read, or its beginning.
  show() {
    const {root} = this.app;
    if (this.fitScale() >= 0.2) return this.fit();
    const scale = 0.5, b = root.base, first = b.rows.length ? b.rows[0].filter((i) => i < b.n) : [];
    const middle = first.length ? first.reduce((sum, i) => sum + root.x[i], 0) / first.length : root.width / 2;
    this.camera = {scale, x: root.left + middle - this.width / 2 / scale, y: root.top - 30 / scale};
    this.redraw();
  }
  // Moves the least so that the box is in sight and can be read.
  reveal(frame, box, isCentred) {
    const r = frame.boxRect(box), scale = Math.max(this.camera.scale, isCentred ? 0.6 : 0.4);
    const a = this.toScreen(r.x, r.y), z = this.toScreen(r.x + r.w, r.y + r.h), margin = 30;
    const isIn = a.x > margin && a.y > margin && z.x < this.width - margin && z.y < this.height - margin;
    if (isIn && scale === this.camera.scale) return this.redraw();
    const h = Math.min(r.h, this.height / scale * 0.7);
    this.camera = {scale, x: r.x + r.w / 2 - this.width / 2 / scale, y: r.y + h / 2 - this.height / 2 / scale};
    this.redraw();
  }
  // Runs a change of the layout so that a box stays where it is on the screen.
  keeping(frame, box, change) {
    const before = frame.boxRect(box);
    change();
    const after = frame.boxRect(box);
    this.camera.x += after.x + after.w / 2 - before.x - before.w / 2;
    this.camera.y += after.y - before.y;
    this.redraw();
  }
  // ---- the overview ----
  showsAll() {
    const {root} = this.app, from = this.toScreen(root.left, root.top), to = this.toScreen(root.left + root.width, root.top + root.height);
    return from.x >= 0 && from.y >= 0 && to.x <= this.width && to.y <= this.height;
  }
  mapScale() {
    const {root} = this.app;
    return Math.min(this.map.clientWidth / Math.max(root.width, 1), this.map.clientHeight / Math.max(root.height, 1)) * 0.94;
  }
  mapOrigin(scale) {
    const {root} = this.app;
    return {x: (this.map.clientWidth - root.width * scale) / 2, y: (this.map.clientHeight - root.height * scale) / 2};
  }
  drawMap() {
    const isWhole = this.showsAll();
    this.map.classList.toggle("whole", isWhole);
    if (isWhole) return;
    const {root, colours} = this.app, dpr = window.devicePixelRatio || 1, ctx = this.map.getContext("2d");
    const scale = this.mapScale(), at = this.mapOrigin(scale);
    if (this.mapImage !== root || this.mapStamp !== this.app.stamp) this.paintMap(scale, at, dpr);
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, this.map.width, this.map.height);
    ctx.drawImage(this.mapPicture, 0, 0);
    ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
    ctx.strokeStyle = colours.sheet.selected;
    ctx.lineWidth = 1.5;
    const w = Math.max(4, this.width / this.camera.scale * scale), h = Math.max(4, this.height / this.camera.scale * scale);
    ctx.strokeRect(at.x + (this.camera.x - root.left) * scale, at.y + (this.camera.y - root.top) * scale, w, h);
  }
  paintMap(scale, at, dpr) {
    const {root, colours} = this.app;
    this.mapImage = root;
    this.mapStamp = this.app.stamp;
    this.map.width = this.map.clientWidth * dpr;
    this.map.height = this.map.clientHeight * dpr;
    this.mapPicture = document.createElement("canvas");
    this.mapPicture.width = this.map.width;
    this.mapPicture.height = this.map.height;
    const ctx = this.mapPicture.getContext("2d");
    ctx.scale(dpr, dpr);
    for (let i = 0; i < root.base.n; i++) {
      ctx.fillStyle = root.open.has(i) ? colours.sheet.line : colours.of(root.base.id[i]).border;
      const w = Math.max(1, root.w[i] * scale), h = Math.max(1, root.h[i] * scale);
      ctx.fillRect(at.x + root.x[i] * scale - w / 2, at.y + root.y[i] * scale, w, h);
    }
  }
  goToMap(event) {
    const {root} = this.app, box = this.map.getBoundingClientRect(), scale = this.mapScale(), at = this.mapOrigin(scale);
    this.camera.x = root.left + (event.clientX - box.left - at.x) / scale - this.width / 2 / this.camera.scale;
    this.camera.y = root.top + (event.clientY - box.top - at.y) / scale - this.height / 2 / this.camera.scale;
    this.redraw(true);
  }
  // ---- the mouse ----
  listen() {
    const {canvas, map} = this;
    canvas.addEventListener("wheel", (event) => this.wheel(event), {passive: false});
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointerleave", () => this.app.tip(null));
    canvas.addEventListener("dblclick", (event) => this.twice(event));
    map.addEventListener("pointerdown", (event) => { map.setPointerCapture(event.pointerId); this.goToMap(event); });
    map.addEventListener("pointermove", (event) => { if (event.buttons) this.goToMap(event); });
  }
  wheel(event) {
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? this.height : 1;
    if (event.shiftKey) return this.pan(event.deltaY * unit || event.deltaX * unit, 0);
    this.zoomAt(Math.exp(-event.deltaY * unit * (event.ctrlKey ? 0.01 : 0.0016)), event.offsetX, event.offsetY);
  }
  under(event) {
    const at = this.toSheet(event.offsetX, event.offsetY);
    return this.app.scene.stubs.at(at.x, at.y) || this.app.root.at(at.x, at.y);
  }
  isOnStub(event) {
    const at = this.toSheet(event.offsetX, event.offsetY);
    return this.app.scene.stubs.at(at.x, at.y) !== null;
  }
  down(event) {
    if (event.button !== 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.drag = {x: event.clientX, y: event.clientY, isMoved: false};
    this.app.tip(null);
  }
  move(event) {
    if (!this.drag) return this.app.tip(this.under(event), event);
    const dx = event.clientX - this.drag.x, dy = event.clientY - this.drag.y;
    if (!this.drag.isMoved && Math.hypot(dx, dy) < 4) return;
    this.drag = {x: event.clientX, y: event.clientY, isMoved: true};
    this.canvas.classList.add("dragged");
    this.pan(-dx, -dy);
  }
  up(event) {
    const drag = this.drag;
    this.drag = null;
    this.canvas.classList.remove("dragged");
    if (!drag || drag.isMoved) return;
    const found = this.under(event);
    this.isJump = this.isOnStub(event);
    if (found && !this.isJump && this.isOnBadge(found, event)) return this.app.toggle(found.frame, found.box);
    this.app.select(found ? found.frame : null, found ? found.frame.base.id[found.box] : null, this.isJump);
  }
  // The sign of a box that opens and closes it.
  isOnBadge({frame, box}, event) {
    if (!this.app.m.canOpen(frame.base.id[box])) return false;
    const r = frame.boxRect(box), at = this.toSheet(event.offsetX, event.offsetY), isOpen = frame.open.has(box);
    const x = isOpen ? r.x + r.w - 16 : r.x + 14, y = isOpen ? r.y + 14 : r.y + r.h - 13;
    return this.camera.scale > 0.3 && Math.hypot(at.x - x, at.y - y) < 9;
  }
  twice(event) {
    const found = this.under(event);
    if (found && !this.isJump && !this.isOnBadge(found, event)) this.app.toggle(found.frame, found.box);
  }
}
