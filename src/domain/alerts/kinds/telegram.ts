/**
 * Telegram: `sendMessage` of the Bot API, with at most 4,096 characters of text and no markup. Telegram finds
 * `@name` in any text and tells whoever that is, but not in a code entity: so such words are made one.
 */

import { plainText, textOf } from '../text.ts';
import { checkForm, field, jsonMessage } from './kind.ts';
import type { ChannelKind } from './kind.ts';

const longestText = 4_096;
/** Telegram takes no more of one message. */
const mostEntities = 100;

export const telegram: ChannelKind = {
  fields: { botToken: 'required', chatId: 'required' },
  check(config) {
    checkForm(config, 'botToken', {
      form: /^\d{1,20}:[A-Za-z0-9_-]{20,100}$/,
      rule: 'the token of a bot, as @BotFather gives it',
      isSecret: true,
    });
    checkForm(config, 'chatId', {
      form: /^(?:-?\d{1,20}|@[A-Za-z0-9_]{1,64})$/,
      rule: 'the number of a chat or @channelname',
      isSecret: false,
    });
  },
  message(alert, config) {
    const text = plainText(textOf(alert), longestText);
    // No parse_mode: the text is shown as it is.
    return jsonMessage(`https://api.telegram.org/bot${field(config, 'botToken')}/sendMessage`, {
      chat_id: field(config, 'chatId'),
      text,
      entities: withoutMentions(text),
      link_preview_options: { is_disabled: true },
    });
  },
};

/** Entities that keep words from being mentions; offsets and lengths in UTF-16 units, as Telegram counts. */
function withoutMentions(text: string) {
  const words = [...text.matchAll(/@\w+/g)];
  const whole = { type: 'code', offset: 0, length: text.length };
  if (words.length > mostEntities) return [whole];
  return words.map(({ 0: word, index }) => ({
    type: 'code',
    offset: index,
    length: word.length,
  }));
}
