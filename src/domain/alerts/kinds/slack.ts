/**
 * Slack: an incoming webhook. In its mrkdwn `&`, `<` and `>` are written as entities, so that nothing becomes
 * a link or a mention, and `@name` is not looked up (`link_names`). Slack asks for at most 4,000 characters of text and cuts beyond 40,000.
 */

import { cut, plainText, textOf } from '../text.ts';
import { checkUrl, field, jsonMessage } from './kind.ts';
import type { ChannelKind } from './kind.ts';

const longestText = 4_000;

export const slack: ChannelKind = {
  fields: { url: 'required' },
  check(config, allowTargets) {
    checkUrl(config, allowTargets);
  },
  message(alert, config) {
    // An entity has at most five characters: what is cut before is never cut in an entity.
    const text = escapeSlack(plainText(textOf(alert), longestText / 5));
    return jsonMessage(field(config, 'url'), {
      text: cut(text, longestText),
      link_names: false,
      unfurl_links: false,
      unfurl_media: false,
    });
  },
};

function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
