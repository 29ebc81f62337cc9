/** Mail, in plain text and HTML. The server it goes through is the operator's. */

import { cut, plainText, textOf } from '../text.ts';
import { addressForm } from '../mail-allow.ts';
import { checkForm, field } from './kind.ts';
import type { ChannelKind } from './kind.ts';

const longestSubject = 200;
const longestText = 4_000;

export const email: ChannelKind = {
  fields: { to: 'required' },
  check(config) {
    const rule = 'one mail address such as ops@example.com';
    checkForm(config, 'to', { form: addressForm, rule, isSecret: false });
  },
  message(alert, config) {
    const text = textOf(alert);
    return {
      kind: 'mail',
      to: field(config, 'to'),
      subject: cut(`[jobd] ${text.title}`, longestSubject),
      text: `${plainText(text, longestText)}\n`,
      html:
        `<p><strong>${escapeHtml(text.title)}</strong></p>\n` +
        `<p>${text.lines.map(escapeHtml).join('<br>\n')}</p>\n`,
    };
  },
};

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
