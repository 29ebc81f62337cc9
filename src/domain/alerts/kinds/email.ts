/** Mail, in plain text and HTML, sent through the operator's server. */

import { cut, plainText, textOf } from '../text.ts';
import { invalidInput } from '../../errors.ts';
import { addressForm, isMailAllowed, notAllowed } from '../mail-allow.ts';
import { checkForm, type ChannelConfig, type ChannelKind } from './kind.ts';

const longestSubject = 200;
const longestText = 4_000;

const checkAddress = checkForm(addressForm, 'mail addresses such as ops@example.com', {
  isShown: true,
});
/** Some servers take no more in one mail without limiting it (RFC 5321 asks for 100). */
const mostRecipients = 50;

export const email: ChannelKind = {
  fields: {
    to: {
      description: `one mail address, or up to ${mostRecipients} separated by commas`,
      given: 'typed',
      check(value, name, rules) {
        const addresses = recipientsOf(value);
        if (addresses.length > mostRecipients) {
          throw invalidInput(
            `${name} must be at most ${mostRecipients} addresses, got ${addresses.length}`,
          );
        }
        for (const address of addresses) checkAddress(address, name, rules);
        const refused = addresses.filter((address) => !isMailAllowed(address, rules.mailAllow));
        if (refused.length > 0) throw invalidInput(`${name}: ${notAllowed(refused)}`);
      },
      parts: recipientsOf,
      isList: true,
    },
  },
  example: { to: 'ann@example.com, ops@example.com' },
  needsMailServer: true,
  message(alert, { to = '' }) {
    const text = textOf(alert);
    return {
      kind: 'mail',
      to: recipientsOf(to),
      subject: cut(`[jobd] ${text.title}`, longestSubject),
      text: `${plainText(text, longestText)}\n`,
      html:
        `<p><strong>${escapeHtml(text.title)}</strong></p>\n` +
        `<p>${text.lines.map(escapeHtml).join('<br>\n')}</p>\n`,
    };
  },
};

/** How many mails one alert is for a channel with this config: one for each recipient. */
export function recipientsIn({ to = '' }: ChannelConfig): number {
  return recipientsOf(to).length;
}

/** The addresses of a list. An empty one stays, to be refused. */
function recipientsOf(list: string): string[] {
  return [...new Set(list.split(',').map((address) => address.trim()))];
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
