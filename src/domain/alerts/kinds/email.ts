/** Mail, in plain text and HTML, sent through the operator's server. */

import { cut, plainText, textOf } from '../text.ts';
import { invalidInput } from '../../errors.ts';
import { addressForm, isMailAllowed, notAllowed } from '../mail-allow.ts';
import { checkForm } from './kind.ts';
import type { ChannelKind } from './kind.ts';

const longestSubject = 200;
const longestText = 4_000;

const checkAddress = checkForm(addressForm, 'one mail address such as ops@example.com', {
  isSecret: false,
});

export const email: ChannelKind = {
  fields: {
    to: {
      description: 'one mail address',
      check(value, name, rules) {
        checkAddress(value, name, rules);
        if (!isMailAllowed(value, rules.mailAllow)) throw invalidInput(`${name}: ${notAllowed}`);
      },
    },
  },
  example: { to: 'ann@example.com' },
  message(alert, { to = '' }) {
    const text = textOf(alert);
    return {
      kind: 'mail',
      to,
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
