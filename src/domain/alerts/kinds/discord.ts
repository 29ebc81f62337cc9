/** Discord: an incoming webhook of at most 2,000 characters. Markdown is escaped and mentions are off, whatever a name contains. */

import { plainText, textOf } from '../text.ts';
import { checkUrl, jsonMessage, type ChannelKind } from './kind.ts';

const longestContent = 2_000;
/** Message flag SUPPRESS_EMBEDS: links get no preview. */
const suppressEmbeds = 4;

export const discord: ChannelKind = {
  fields: {
    url: { description: 'the URL of an incoming webhook', given: 'either', check: checkUrl },
  },
  example: { url: 'https://discord.com/api/webhooks/123456789012345678/XXXXXXXXXXXX' },
  message(alert, { url = '' }) {
    // Escaping at most doubles a character.
    const text = plainText(textOf(alert), longestContent / 2);
    return jsonMessage(url, {
      content: text.replace(/[\\*_~`|<>[\]()#@]/g, String.raw`\$&`),
      allowed_mentions: { parse: [] },
      flags: suppressEmbeds,
    });
  },
};
