/**
 * Slack: an incoming webhook. `&`, `<` and `>` are written as entities, so that nothing becomes a link or a mention, and
 * `@name` is not resolved (`link_names`). With `mrkdwn` off, `*`, `_`, `~` and backticks are shown as they are. Slack asks for
 * at most 4,000 characters of text.
 */

import { cut, plainText, textOf } from '../text.ts';
import { checkUrl, jsonMessage, type ChannelKind } from './kind.ts';

const longestText = 4_000;

export const slack: ChannelKind = {
  fields: {
    url: { description: 'the URL of an incoming webhook', given: 'either', check: checkUrl },
  },
  example: { url: 'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXX' },
  message(alert, { url = '' }) {
    // An entity has at most five characters. Cutting first never cuts inside one.
    const text = escapeSlack(plainText(textOf(alert), longestText / 5));
    return jsonMessage(url, {
      text: cut(text, longestText),
      mrkdwn: false,
      link_names: false,
      unfurl_links: false,
      unfurl_media: false,
    });
  },
};

function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
