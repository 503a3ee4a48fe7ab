// The colour of each frame: by package, thread activity, own samples, or change.
const SAME = 0.02;
const STEPS = 10;

export class FlameColours {
  // page  holds the legend, whose swatches have the colours of the theme
  constructor(page) {
    this.swatches = new Map([...page.querySelectorAll('[data-swatch]')].map((swatch) => [swatch.dataset.swatch, swatch]));
  }

  // Reads the swatches again, after the theme or the palette changed.
  read() {
    this.mixes = new Map();
    this.named = {};
    for (const [name, swatch] of this.swatches) this.named[name] = getComputedStyle(swatch).backgroundColor;
  }

  of(shown, node, by, answer) {
    const { named } = this;
    const name = shown.name[node];
    if (by === 'diff' && shown.base) {
      const [now, before] = [shown.weight[node], shown.base[node]];
      const change = (now - before) / Math.max(now, before, 1e-12);
      if (Math.abs(change) < SAME) return named.same;
      return this.#mixed(named.same, change > 0 ? named.grew : named.shrank, 0.25 + 0.75 * Math.abs(change));
    }
    if (name < 0) return named.same;
    if (by === 'state') return this.#mixed(named.running, named.waiting, shown.weight[node] ? shown.waiting[node] / shown.weight[node] : 0);
    if (by === 'own') return this.#mixed(named.same, named.running, Math.min(1, (shown.own[node] / shown.total) * 10));
    return named[answer.origins[answer.origin[name]].key];
  }

  #mixed(one, other, share) {
    const step = Math.round(share * STEPS);
    const key = `${one} ${other} ${step}`;
    if (!this.mixes.has(key)) {
      const [from, to] = [one, other].map((colour) => colour.match(/[\d.]+/g).map(Number));
      this.mixes.set(key, `rgb(${from.slice(0, 3).map((part, place) => Math.round(part + (to[place] - part) * (step / STEPS))).join(',')})`);
    }
    return this.mixes.get(key);
  }
}
