/** HTML in which everything is escaped that is not HTML itself. */
export class Markup {
  constructor(readonly html: string) {}
}

type Part = string | number | Markup | false | null | undefined | Part[];

export function markup(literals: TemplateStringsArray, ...parts: Part[]): Markup {
  const html = literals.map((literal, index) => literal + htmlOf(parts[index]));
  return new Markup(html.join(''));
}

function htmlOf(part: Part): string {
  if (part instanceof Markup) return part.html;
  if (Array.isArray(part)) return part.map(htmlOf).join('');
  return part === false || part === null || part === undefined ? '' : escape(String(part));
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** A link where the text is a whole http or https address; otherwise the text. */
export function link(url: string): Markup {
  const isAddress = /^https?:\/\/[^\s…]+$/i.test(url) && URL.canParse(url);
  return isAddress ? markup`<a href="${url}" rel="noreferrer noopener">${url}</a>` : markup`${url}`;
}
