/**
 * PagerDuty: the Events API v2 (developer.pagerduty.com/docs/events-api-v2/overview). A failure triggers an incident and the
 * recovery resolves it, by the same `dedup_key`. A summary has at most 1,024 characters, a key 255.
 */

import { incidentOf, isUrgent } from '../incident.ts';
import { cut, textOf } from '../text.ts';
import { checkForm, jsonMessage, type ChannelKind } from './kind.ts';
import { region } from './region.ts';

const longestSummary = 1_024;
const longestDetails = 4_000;

export const pagerduty: ChannelKind = {
  fields: {
    routingKey: {
      description: 'the integration key of an "Events API V2" integration',
      check: checkForm(/^[A-Za-z0-9]{32}$/, 'an integration key: 32 letters and digits'),
    },
    region,
  },
  example: { routingKey: 'XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX' },
  message(alert, { routingKey = '', region: place }) {
    const { key, isOver } = incidentOf(alert);
    const { title, lines } = textOf(alert);
    const event = {
      routing_key: routingKey,
      event_action: isOver ? 'resolve' : 'trigger',
      dedup_key: key,
    };
    const payload = {
      summary: cut(title, longestSummary),
      source: 'jobd',
      severity: isUrgent(alert) ? 'critical' : 'info',
      timestamp: alert.timestamp,
      custom_details: { text: cut(lines.join('\n'), longestDetails) },
    };
    const host = place === 'eu' ? 'events.eu.pagerduty.com' : 'events.pagerduty.com';
    return jsonMessage(`https://${host}/v2/enqueue`, isOver ? event : { ...event, payload });
  },
};
