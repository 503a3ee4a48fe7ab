// Words of scripts in the reader's language. The catalogue comes before, as /words.js; an English page has none.
const catalogue = globalThis.django;

// A text with its values by name: say('{count} files', { count: 3 }).
export function say(text, values = {}) {
  return filled(catalogue?.gettext ? catalogue.gettext(text) : text, values);
}

// A text whose words depend on a number, which is its value `count`.
export function sayCounted(one, many, count, values = {}) {
  const text = catalogue?.ngettext ? catalogue.ngettext(one, many, count) : count === 1 ? one : many;
  return filled(text, { count, ...values });
}

function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
}
