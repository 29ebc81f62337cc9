/**
 * Microsoft Teams: the webhook of a workflow ("When a Teams webhook request is received"), which takes a message with an
 * Adaptive Card (learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook,
 * adaptivecards.io/explorer/TextRun.html). The connectors of Office 365 are retired. A TextRun shows its text without
 * Markdown, and only `msteams.entities` mention anybody. A message has at most 28 KB.
 */

import { cut, plainText, textOf } from '../text.ts';
import { checkUrl, jsonMessage, type ChannelKind } from './kind.ts';

const longestText = 4_000;

export const teams: ChannelKind = {
  fields: {
    url: { description: 'the URL of the webhook of a workflow', given: 'either', check: checkUrl },
  },
  example: {
    url: 'https://prod-00.westeurope.logic.azure.com/workflows/00000000000000000000000000000000/triggers/manual/paths/invoke?sig=XXXXXXXXXXXX',
  },
  message(alert, { url = '' }) {
    const text = textOf(alert);
    const lines = cut(text.lines.join('\n'), longestText).split('\n');
    return jsonMessage(url, {
      type: 'message',
      summary: plainText({ title: text.title, lines: [] }, longestText),
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.2',
            body: [
              textBlock({ text: text.title, weight: 'Bolder', size: 'Medium' }),
              ...lines.map((line) => textBlock({ text: line })),
            ],
          },
        },
      ],
    });
  },
};

function textBlock(run: { text: string; weight?: string; size?: string }) {
  return { type: 'RichTextBlock', inlines: [{ type: 'TextRun', ...run }] };
}
