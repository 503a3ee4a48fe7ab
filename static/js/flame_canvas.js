// A flame graph on a canvas: only what is at least half a pixel wide is drawn, so that its size does not matter.

const ROW = 19;
const LEAST = 0.5;
const LEAST_TEXT = 28;
const CHARACTER = 6.3;

export class FlameCanvas {
  // on: {hover(node), focus(node), zoom(node), remove(node)}; colourOf(tree, node) gives a fill
  constructor(host, { on, colourOf }) {
    this.host = host;
    this.canvas = host.querySelector('canvas');
    this.on = on;
    this.colourOf = colourOf;
    this.inverted = false; // true: the root at the bottom, as in a flame graph
    this.matches = null;
    this.zoomed = 0;
    this.focused = 0;
    this.tree = null;
    this.canvas.addEventListener('pointermove', (event) => on.hover(this.#at(event)));
    this.canvas.addEventListener('pointerleave', () => on.hover(null));
    this.canvas.addEventListener('click', (event) => this.#clicked(event));
    new ResizeObserver(() => this.draw()).observe(host);
  }

  show(tree, zoomed = 0) {
    this.tree = tree;
    this.zoomed = zoomed;
    this.focused = zoomed;
    this.draw();
    if (this.inverted) this.host.scrollTop = this.host.scrollHeight;
  }

  zoom(node) {
    this.zoomed = node;
    this.focused = node;
    this.draw();
    this.#intoView(node);
  }

  focus(node) {
    this.focused = node;
    const { left, values } = this.tree;
    const outside = left[node] < left[this.zoomed] || left[node] + values[node] > left[this.zoomed] + values[this.zoomed] + 1e-9;
    if (outside || this.#width(node) < 3) this.zoomed = this.tree.parent[node] > 0 && outside ? this.tree.parent[node] : node;
    this.draw();
    this.#intoView(node);
  }

  #width(node) {
    return (this.tree.values[node] / this.tree.values[this.zoomed]) * this.host.clientWidth;
  }

  #intoView(node) {
    const top = this.#top(this.tree.depth[node]);
    if (top < this.host.scrollTop || top + ROW > this.host.scrollTop + this.host.clientHeight) {
      this.host.scrollTop = top - this.host.clientHeight / 2;
    }
  }

  #top(depth) {
    return (this.inverted ? this.rows - 1 - depth : depth) * ROW;
  }

  #clicked(event) {
    const node = this.#at(event);
    if (node === null) return;
    if (event.ctrlKey || event.altKey || event.metaKey) this.on.remove(node);
    else this.on.zoom(node);
  }

  #at(event) {
    if (!this.drawn) return null;
    const box = this.canvas.getBoundingClientRect();
    const [x, row] = [event.clientX - box.left, Math.floor((event.clientY - box.top) / ROW)];
    const depth = this.inverted ? this.rows - 1 - row : row;
    const found = (this.drawn[depth] || []).find(([, left, width]) => x >= left && x <= left + Math.max(width, 1));
    return found ? found[0] : null;
  }

  // The frames of each row that can be seen, with place and width in pixels.
  #visible(width) {
    const { tree, zoomed } = this;
    const rows = tree.line(zoomed).map((node) => [[node, 0, width]]);
    const scale = tree.values[zoomed] ? width / tree.values[zoomed] : 0;
    let row = [zoomed];
    while (row.length) {
      const next = [];
      for (const node of row) {
        for (const child of tree.children[node]) if (tree.values[child] * scale >= LEAST) next.push(child);
      }
      if (next.length) rows.push(next.map((node) => [node, (tree.left[node] - tree.left[zoomed]) * scale, tree.values[node] * scale]));
      row = next;
    }
    return rows;
  }

  draw() {
    if (!this.tree || !this.host.clientWidth) return;
    const width = this.host.clientWidth;
    this.drawn = this.#visible(width);
    this.rows = this.drawn.length;
    const ratio = window.devicePixelRatio || 1;
    const height = this.rows * ROW;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.height = `${height}px`;
    const pen = this.canvas.getContext('2d');
    pen.scale(ratio, ratio);
    const style = getComputedStyle(this.host);
    const look = {
      text: style.getPropertyValue('color'),
      page: style.getPropertyValue('background-color'),
      match: getComputedStyle(this.host.querySelector('.match-colour')).backgroundColor,
      ring: getComputedStyle(this.host.querySelector('.ring-colour')).backgroundColor,
    };
    pen.font = `11px ${style.getPropertyValue('font-family')}`;
    pen.textBaseline = 'middle';
    this.drawn.forEach((row, depth) => {
      for (const each of row) this.#frame(pen, look, this.#top(depth), depth, ...each);
    });
  }

  #frame(pen, look, top, depth, node, left, width) {
    const isAncestor = depth < this.tree.depth[this.zoomed];
    pen.globalAlpha = isAncestor ? 0.55 : 1;
    pen.fillStyle = this.matches?.has(this.tree.name[node]) ? look.match : this.colourOf(this.tree, node);
    pen.fillRect(left, top, Math.max(width - (width > 3 ? 1 : 0), LEAST), ROW - 1);
    pen.globalAlpha = 1;
    if (width >= LEAST_TEXT) {
      pen.fillStyle = look.text;
      pen.fillText(shortFrame(this.tree.label(node), Math.floor((width - 8) / CHARACTER)), left + 4, top + ROW / 2);
    }
    if (node === this.focused && node !== 0) {
      pen.strokeStyle = look.ring;
      pen.lineWidth = 2;
      pen.strokeRect(left + 1, top + 1, Math.max(width - 3, 1), ROW - 3);
    }
  }

  // The frame beside the focused one: up, down, left or right on the screen.
  step(direction) {
    const { tree, focused } = this;
    const deeper = this.inverted ? 'ArrowUp' : 'ArrowDown';
    if (direction === deeper) return tree.children[focused].filter((node) => tree.values[node] > 0).sort((one, other) => tree.values[other] - tree.values[one])[0] ?? focused;
    if (direction === 'ArrowUp' || direction === 'ArrowDown') return Math.max(tree.parent[focused], 0);
    const row = this.drawn[tree.depth[focused]] || [];
    const here = row.findIndex(([node]) => node === focused);
    return row[here + (direction === 'ArrowLeft' ? -1 : 1)]?.[0] ?? focused;
  }
}

// `Class.method` where the package does not fit, and an end where that does not.
export function shortFrame(name, most) {
  if (name.length <= most) return name;
  const short = name.split('.').slice(-2).join('.');
  if (short.length <= most) return short;
  return most < 3 ? '' : `${short.slice(0, most - 1)}…`;
}
