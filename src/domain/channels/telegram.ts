/** Telegram: `sendMessage` of the Bot API, with at most 4,096 characters of text and no markup at all. */

import { plainText, textOf } from '../alert-text.ts';
import { checkForm, field, jsonMessage } from './kind.ts';
import type { ChannelKind } from './kind.ts';

const longestText = 4_096;

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
    // No parse_mode: the text is shown as it is.
    return jsonMessage(`https://api.telegram.org/bot${field(config, 'botToken')}/sendMessage`, {
      chat_id: field(config, 'chatId'),
      text: plainText(textOf(alert), longestText),
      link_preview_options: { is_disabled: true },
    });
  },
};
