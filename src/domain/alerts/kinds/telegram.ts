/**
 * Telegram: `sendMessage` of the Bot API, with at most 4,096 characters of text and no markup. Telegram mentions
 * `@name` found anywhere in a text except in a code entity, so such words become one.
 */

import { plainText, textOf } from '../text.ts';
import { objectIn, recordOf } from '../refusal.ts';
import { checkForm, jsonMessage, type ChannelKind } from './kind.ts';

const longestText = 4_096;
/** Telegram accepts no more in one message. */
const mostEntities = 100;

export const telegram: ChannelKind = {
  fields: {
    botToken: {
      description: 'the token of the bot',
      check: checkForm(
        /^\d{1,20}:[A-Za-z0-9_-]{20,100}$/,
        'the token of a bot, as @BotFather gives it',
      ),
      parts: (token) => [token.replace(/^\d+:/, '')],
    },
    chatId: {
      description: 'the number of the chat, or `@channelname`',
      given: 'typed',
      check: checkForm(
        /^(?:-?\d{1,20}|@[A-Za-z0-9_]{1,64})$/,
        'the number of a chat or @channelname',
        { isShown: true },
      ),
    },
  },
  example: { botToken: '123456:XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX', chatId: '-1001234567890' },
  message(alert, { botToken = '', chatId = '' }) {
    const text = plainText(textOf(alert), longestText);
    // No parse_mode: the text is shown as it is.
    return jsonMessage(`https://api.telegram.org/bot${botToken}/sendMessage`, {
      chat_id: chatId,
      text,
      entities: withoutMentions(text),
      link_preview_options: { is_disabled: true },
    });
  },
  // A group that becomes a supergroup has another id from then on.
  adviceOn(body) {
    const id = recordOf(objectIn(body)['parameters'])['migrate_to_chat_id'];
    return typeof id === 'number' ? `the chat has a new id: set chatId to ${id}` : null;
  },
};

/** Entities that keep words from being mentions; offsets and lengths in UTF-16 units, as Telegram counts. */
function withoutMentions(text: string) {
  const words = [...text.matchAll(/@\w+/g)];
  const whole = { type: 'code', offset: 0, length: text.length };
  if (words.length > mostEntities) return [whole];
  return words.map(({ 0: word, index }) => ({ type: 'code', offset: index, length: word.length }));
}
