/** JSON for people: indented, and its parts marked for colour. */

import { html } from './html.ts';
import type { Html } from './html.ts';

const tokenPattern = /("(?:[^"\\]|\\.)*")(?=(:)?)|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?/g;

/** A value as marked JSON. */
export function json(value: unknown): Html {
  const text = JSON.stringify(value, null, 2);
  const parts: Html[] = [];
  let end = 0;
  for (const match of text.matchAll(tokenPattern)) {
    const [token, quoted, colon] = match;
    parts.push(html`${text.slice(end, match.index)}`, marked(token, quoted, colon));
    end = match.index + token.length;
  }
  return html`${parts}${text.slice(end)}`;
}

function marked(token: string, quoted: string | undefined, colon: string | undefined): Html {
  if (quoted === undefined) return html`<span class="literal">${token}</span>`;
  return colon === undefined
    ? html`<span class="string">${token}</span>`
    : html`<span class="key">${token}</span>`;
}
