/**
 * Discord: an incoming webhook. `content` has at most 2,000 characters; marks of Markdown are escaped, and
 * nobody is mentioned, whatever a name says.
 */

import { plainText, textOf } from '../text.ts';
import { checkUrl, field, jsonMessage } from './kind.ts';
import type { ChannelKind } from './kind.ts';

const longestContent = 2_000;
/** Message flag SUPPRESS_EMBEDS: links get no preview. */
const suppressEmbeds = 4;

export const discord: ChannelKind = {
  fields: { url: 'required' },
  check(config, allowTargets) {
    checkUrl(config, allowTargets);
  },
  message(alert, config) {
    // Escaped, each character is two at most.
    const text = plainText(textOf(alert), longestContent / 2);
    return jsonMessage(field(config, 'url'), {
      content: text.replace(/[\\*_~`|<>[\]()#@]/g, String.raw`\$&`),
      allowed_mentions: { parse: [] },
      flags: suppressEmbeds,
    });
  },
};
