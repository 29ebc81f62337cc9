/** A badge as a picture. It has no script, style or font, and asks for nothing, so that it may be shown anywhere. */

import { html } from '../../api/docs/html.ts';
import { showControls } from '../../domain/characters.ts';
import type { Said } from './state.ts';

/** Characters of XML 1.0 beyond those that `showControls` shows; a lone half of a pair becomes U+FFFD when it is encoded. */
const noCharacter = /[\ufffe\uffff]/g;
const narrow = /[ !'(),.:;Iijlfrt|[\]]/;
const wide = /[%@MWmw\u3000-\uffff]/;

/** About as wide as Verdana of 11 pixels is; `textLength` makes the text so wide, whatever font there is. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += wide.test(character) ? 11 : narrow.test(character) ? 4 : 7;
  return width;
}

/** Draws it. */
export function pictureOf(name: string, { message, colour }: Said): string {
  const label = showControls(name).replaceAll(noCharacter, '\ufffd').trim();
  const [left, right] = [widthOf(label), widthOf(message)];
  const [edge, width] = [left + 12, left + right + 24];
  const whole = `${label}: ${message}`;
  return html`<svg
    xmlns="http://www.w3.org/2000/svg"
    width="${width}"
    height="20"
    role="img"
    aria-label="${whole}"
  >
    <title>${whole}</title>
    <clipPath id="a"><rect width="${width}" height="20" rx="3" /></clipPath>
    <g clip-path="url(#a)">
      <rect width="${edge}" height="20" fill="#464b52" />
      <rect x="${edge}" width="${right + 12}" height="20" fill="${colour.code}" />
    </g>
    <g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
      <text x="6" y="14" textLength="${left}">${label}</text>
      <text x="${edge + 6}" y="14" textLength="${right}">${message}</text>
    </g>
  </svg> `.markup;
}
