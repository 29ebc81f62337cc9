/**
 * ntfy: published as JSON to the root of the server, so that no name of a job ever stands in a header. A message
 * over 4,096 bytes would become an attachment.
 */

import { cut, textOf } from '../text.ts';
import type { AlertType } from '../alert.ts';
import { invalidInput } from '../../errors.ts';
import { checkForm, checkUrl, field, jsonMessage } from './kind.ts';
import type { ChannelKind } from './kind.ts';

/** A character has at most three bytes of UTF-8 for each of its UTF-16 units. */
const longestMessage = Math.floor(4_096 / 3);
const longestTitle = 250;

const urgent = 4;
const normal = 3;
const looks: Record<AlertType, { tags: string[]; priority: number }> = {
  'job.failed': { tags: ['rotating_light'], priority: urgent },
  'monitor.down': { tags: ['rotating_light'], priority: urgent },
  'job.recovered': { tags: ['white_check_mark'], priority: normal },
  'monitor.up': { tags: ['white_check_mark'], priority: normal },
  test: { tags: ['wave'], priority: normal },
};

export const ntfy: ChannelKind = {
  fields: { url: 'required', token: 'optional' },
  check(config, allowTargets) {
    const { pathname, search, hash } = checkUrl(config, allowTargets);
    if (!/^\/[-_A-Za-z0-9]{1,64}$/.test(pathname) || search !== '' || hash !== '') {
      throw invalidInput('config.url must end in a topic, as https://ntfy.sh/my-topic does');
    }
    checkForm(config, 'token', {
      form: /^[A-Za-z0-9_.~+/=-]{1,200}$/,
      rule: 'an access token of ntfy, as tk_…',
      isSecret: true,
    });
  },
  message(alert, config) {
    const { origin, pathname } = new URL(field(config, 'url'));
    const { title, lines } = textOf(alert);
    const token = config['token'];
    return jsonMessage(
      `${origin}/`,
      {
        topic: pathname.slice(1),
        title: cut(title, longestTitle),
        message: cut(lines.join('\n'), longestMessage),
        ...looks[alert.type],
      },
      token === undefined ? {} : { authorization: `Bearer ${token}` },
    );
  },
};
