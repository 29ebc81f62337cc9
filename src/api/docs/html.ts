/** HTML as a value, and texts and JSON as HTML. */

export interface Html {
  readonly markup: string;
}

type Part = Html | string | number | readonly Html[];

/** Template tag. Escapes its values unless they are HTML. Attributes must be quoted. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return { markup: String.raw({ raw: strings }, ...parts.map(markupOf)) };
}

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

/** One paragraph of CommonMark, of which only `code` is supported. */
export function inline(text: string): Html {
  const parts = text.split('`');
  return html`${parts.map((part, index) => (index % 2 ? html`<code>${part}</code>` : html`${part}`))}`;
}

/** CommonMark with paragraphs, `##` headings and `code`. */
export function prose(text: string): Html {
  const blocks = text.trim().split(/\n\n+/);
  return html`${blocks.map((block) =>
    block.startsWith('## ') ? html`<h2>${block.slice(3)}</h2>` : html`<p>${inline(block)}</p>`,
  )}`;
}

const jsonTokens = /("(?:[^"\\]|\\.)*")(:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?/g;

/** A value as indented JSON with a class for each kind of token. */
export function json(value: unknown): Html {
  const text = JSON.stringify(value, null, 2);
  const parts: Html[] = [];
  let end = 0;
  for (const { 0: token, 1: quoted, 2: colon = '', index } of text.matchAll(jsonTokens)) {
    const kind = quoted === undefined ? 'literal' : colon ? 'key' : 'string';
    parts.push(html`${text.slice(end, index)}<span class="${kind}">${quoted ?? token}</span>`);
    end = index + token.length - colon.length;
  }
  return html`${parts}${text.slice(end)}`;
}
