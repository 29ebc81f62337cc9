/** What lists look for in rows that have no index for it. */

import { readSelector, type Selector } from './labels.ts';

/** A text, labels, or both. */
export interface Search {
  /** In the name, or the URL of a job; ASCII letters in either case. */
  text: string | null;
  selector: Selector | null;
}

/** What is searched for; null for nothing. An empty text is in every name. Throws `invalid_input` for the selector. */
export function searchFor(text = '', selector?: string): Search | null {
  if (text === '' && selector === undefined) return null;
  const labels = selector === undefined ? null : readSelector(selector);
  return { text: text === '' ? null : text, selector: labels };
}
