/** The little of CommonMark that the descriptions use: paragraphs, `##` headings and `code`. */

import { html } from './html.ts';
import type { Html } from './html.ts';

/** A text of one paragraph, its code marked. */
export function inline(text: string): Html {
  return html`${text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;
}

/** Paragraphs and headings. */
export function prose(text: string): Html {
  const blocks = text.trim().split(/\n\n+/);
  return html`${blocks.map((block) =>
    block.startsWith('## ') ? html`<h3>${block.slice(3)}</h3>` : html`<p>${inline(block)}</p>`,
  )}`;
}
