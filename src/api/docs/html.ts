/** HTML as a value: what is put into it is escaped, unless it is HTML already. */

export interface Html {
  readonly markup: string;
}

type Part = Html | string | number | readonly Html[];

/** Template tag. Attributes must be quoted. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return { markup: String.raw({ raw: strings }, ...parts.map(markupOf)) };
}

/** Nothing. */
export const nothing: Html = { markup: '' };

function markupOf(part: Part): string {
  if (typeof part === 'string' || typeof part === 'number') return escape(String(part));
  if ('markup' in part) return part.markup;
  return part.map(({ markup }) => markup).join('');
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}
