/**
 * Opsgenie: the Alert API (docs.opsgenie.com/docs/alert-api). A failure creates an alert and the recovery closes it, by the
 * same alias. A message has at most 130 characters, a description 15,000, an alias 512.
 */

import { incidentOf, isUrgent } from '../incident.ts';
import { cut, plainText, textOf } from '../text.ts';
import { checkForm, jsonMessage, type ChannelKind } from './kind.ts';
import { region } from './region.ts';

const longestMessage = 130;
const longestDescription = 15_000;

export const opsgenie: ChannelKind = {
  fields: {
    apiKey: {
      description: 'the key of an API integration',
      check: checkForm(/^[A-Za-z0-9-]{20,100}$/, 'the key of an API integration of Opsgenie'),
    },
    region,
  },
  example: { apiKey: 'XXXXXXXX-XXXX-XXXX-XXXX-XXXXXXXXXXXX' },
  message(alert, { apiKey = '', region: place }) {
    const { key, isOver } = incidentOf(alert);
    const text = textOf(alert);
    const host = place === 'eu' ? 'api.eu.opsgenie.com' : 'api.opsgenie.com';
    const alerts = `https://${host}/v2/alerts`;
    const headers = { authorization: `GenieKey ${apiKey}` };
    if (isOver) {
      const url = `${alerts}/${encodeURIComponent(key)}/close?identifierType=alias`;
      const note = plainText(text, longestDescription);
      return jsonMessage(url, { source: 'jobd', note }, headers);
    }
    const alertToCreate = {
      message: cut(text.title, longestMessage),
      alias: key,
      description: cut(text.lines.join('\n'), longestDescription),
      source: 'jobd',
      priority: isUrgent(alert) ? 'P1' : 'P5',
    };
    return jsonMessage(alerts, alertToCreate, headers);
  },
};
