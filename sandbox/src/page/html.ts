/** HTML templates: every value in them is escaped, unless it is HTML already. */
export class Html {
  constructor(readonly text: string) {}
}

type Content = string | number | Html | Content[] | undefined;

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Values are between tags or in quoted attributes. */
export function html(strings: TemplateStringsArray, ...values: Content[]): Html {
  return new Html(strings.map((part, index) => part + textOf(values[index])).join(''));
}

function textOf(value: Content): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(textOf).join('');
  return String(value).replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '');
}
