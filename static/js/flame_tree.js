// The call tree of a profile: samples in and below each frame, and trees derived from it.
// Node 0 is the root `all`; parents come before children. `values` are what widths mean now.

export class FlameTree {
  // nodes: {name, parent, weight, own, waiting, base} as parallel lists without the root
  constructor(names, nodes, { total, base = null, rootName = null, ids = null, cut = null, functions = null } = {}) {
    this.names = names;
    this.total = total;
    this.baseTotal = base;
    this.functions = functions; // [own, total, base] of each name, where the tree does not hold every frame
    this.count = nodes.parent.length + 1;
    const column = (list, first) => Float64Array.from([first, ...list]);
    this.name = Int32Array.from([rootName ?? -1, ...nodes.name]);
    this.parent = Int32Array.from([-1, ...nodes.parent.map((parent) => parent + 1)]);
    this.weight = column(nodes.weight, total);
    this.own = column(nodes.own, 0);
    this.waiting = column(nodes.waiting, 0);
    this.base = nodes.base ? column(nodes.base, total) : null;
    this.cut = cut ? column(cut, 0) : null;
    this.ids = ids ? [null, ...ids] : null;
    for (let node = 1; node < this.count; node += 1) {
      if (this.parent[node] === 0) this.waiting[0] += this.waiting[node];
    }
    this.#link();
    this.lay(this.weight);
  }

  #link() {
    this.children = Array.from({ length: this.count }, () => []);
    this.depth = new Int32Array(this.count);
    for (let node = 1; node < this.count; node += 1) {
      this.children[this.parent[node]].push(node);
      this.depth[node] = this.depth[this.parent[node]] + 1;
    }
    for (const each of this.children) each.sort((one, other) => this.label(one).localeCompare(this.label(other)));
    this.deepest = this.depth.reduce((most, depth) => Math.max(most, depth), 0);
  }

  label(node) {
    return this.name[node] < 0 ? 'all' : this.names[this.name[node]];
  }

  // Widths by `values`; siblings are sorted by name.
  lay(values) {
    this.values = values;
    this.left = new Float64Array(this.count);
    for (let node = 0; node < this.count; node += 1) {
      let at = this.left[node];
      for (const child of this.children[node]) {
        this.left[child] = at;
        at += values[child];
      }
    }
  }

  // Widths of frames that only the baseline has.
  lost() {
    const lost = new Float64Array(this.count);
    for (let node = this.count - 1; node > 0; node -= 1) {
      if (this.weight[node] === 0) lost[node] = this.base[node];
      lost[this.parent[node]] += lost[node];
    }
    return lost;
  }

  // The tree without one frame and all it called.
  without(node) {
    const lists = this.#lists();
    const taken = { weight: this.weight[node], waiting: this.waiting[node], base: this.base?.[node] ?? 0 };
    for (let above = this.parent[node]; above > 0; above = this.parent[above]) {
      for (const [key, value] of Object.entries(taken)) if (lists[key]) lists[key][above - 1] -= value;
    }
    const gone = this.inside(node);
    const place = new Map();
    const kept = [];
    for (let each = 1; each < this.count; each += 1) {
      if (gone.has(each)) continue;
      place.set(each, kept.length);
      kept.push(each);
    }
    const pick = (list) => kept.map((each) => list[each - 1]);
    const nodes = Object.fromEntries(Object.entries(lists).map(([key, list]) => [key, pick(list)]));
    nodes.parent = kept.map((each) => (this.parent[each] === 0 ? -1 : place.get(this.parent[each])));
    return new FlameTree(this.names, nodes, {
      total: this.total - taken.weight,
      base: this.baseTotal,
      ids: this.ids && kept.map((each) => this.ids[each]),
      cut: this.cut && kept.map((each) => this.cut[each]),
    });
  }

  #lists() {
    const list = (column) => Array.from(column.subarray(1));
    const lists = { name: list(this.name), weight: list(this.weight), own: list(this.own), waiting: list(this.waiting) };
    if (this.base) lists.base = list(this.base);
    return lists;
  }

  // A frame and everything below it.
  inside(node) {
    const found = new Set([node]);
    for (const each of found) for (const child of this.children[each]) found.add(child);
    return found;
  }

  // From the root to a frame.
  line(node) {
    const line = [];
    for (let each = node; each >= 0; each = this.parent[each]) line.unshift(each);
    return line;
  }

  // Calls `see(node)` for each frame with `counts(node)` that has no such ancestor.
  #outermost(counts, see) {
    const covered = new Uint8Array(this.count);
    for (let node = 1; node < this.count; node += 1) {
      covered[node] = covered[this.parent[node]];
      if (!covered[node] && counts(this.name[node])) {
        covered[node] = 1;
        see(node);
      }
    }
  }

  // Matching names, their nodes from left to right, and their share of all samples; nested matches count once.
  search(pattern) {
    const names = new Set(this.names.flatMap((name, place) => (pattern.test(name) ? [place] : [])));
    let matched = 0;
    this.#outermost((name) => names.has(name), (node) => { matched += this.values[node]; });
    const nodes = [];
    for (let node = 1; node < this.count; node += 1) if (names.has(this.name[node]) && this.values[node] > 0) nodes.push(node);
    nodes.sort((one, other) => this.left[one] - this.left[other] || this.depth[one] - this.depth[other]);
    return { names, nodes, share: this.values[0] ? matched / this.values[0] : 0 };
  }

  // Each function with its samples: on itself, and in all it called, where a recursion counts once.
  top() {
    if (this.functions) {
      return this.names.map((name, place) => {
        const [own, total, base] = this.functions[place];
        return { place, name, own, total, base };
      });
    }
    const rows = this.names.map((name, place) => ({ place, name, own: 0, total: 0, base: 0 }));
    const open = new Int32Array(this.names.length);
    const walk = [[0, 0]];
    while (walk.length) {
      const [node, next] = walk.at(-1);
      const name = this.name[node];
      if (next === 0 && name >= 0) {
        rows[name].own += this.own[node];
        if (open[name] === 0) {
          rows[name].total += this.weight[node];
          if (this.base) rows[name].base += this.base[node];
        }
        open[name] += 1;
      }
      if (next < this.children[node].length) {
        walk.at(-1)[1] += 1;
        walk.push([this.children[node][next], 0]);
      } else {
        if (name >= 0) open[name] -= 1;
        walk.pop();
      }
    }
    return rows.filter((row) => row.total > 0 || row.base > 0);
  }

  // What a function calls, from all places where it is called.
  callees(name) {
    const merged = this.#merging(name);
    this.#outermost((each) => each === name, (node) => {
      const place = new Map([[node, -1]]);
      for (const each of this.inside(node)) {
        if (each !== node) place.set(each, merged.add(place.get(this.parent[each]), this.name[each], each));
      }
      merged.count(node);
    });
    return merged.tree();
  }

  // Who calls a function: the function at the root, its callers below.
  callers(name) {
    const merged = this.#merging(name);
    this.#outermost((each) => each === name, (node) => {
      let place = -1;
      for (let above = this.parent[node]; above > 0; above = this.parent[above]) {
        place = merged.add(place, this.name[above], node);
      }
      merged.count(node);
    });
    return merged.tree();
  }

  #merging(rootName) {
    const nodes = { name: [], parent: [], weight: [], own: [], waiting: [] };
    if (this.base) nodes.base = [];
    const places = new Map();
    let total = 0;
    return {
      add: (parent, name, from) => {
        const key = `${parent} ${name}`;
        if (!places.has(key)) {
          places.set(key, nodes.name.length);
          nodes.name.push(name);
          nodes.parent.push(parent);
          for (const column of ['weight', 'own', 'waiting', ...(this.base ? ['base'] : [])]) nodes[column].push(0);
        }
        const place = places.get(key);
        nodes.weight[place] += this.weight[from];
        nodes.own[place] += this.own[from];
        nodes.waiting[place] += this.waiting[from];
        if (this.base) nodes.base[place] += this.base[from];
        return place;
      },
      count: (node) => { total += this.weight[node]; },
      tree: () => new FlameTree(this.names, nodes, { total, base: this.baseTotal, rootName }),
    };
  }
}
