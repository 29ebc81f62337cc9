/** What the API accepts and returns about runs whose targets report after an answer of 202. */

import { Type, type Static } from 'typebox';
import { reportOutcomes, reporters, reportStatuses } from '../../domain/runs/report.ts';
import { maxMessageLength, maxPercent } from '../../domain/runs/read-report.ts';
import { describe, type Refusal } from '../description/operation.ts';
import { Ok } from '../http/contract.ts';
import * as t from '../http/schema.ts';
import * as examples from './report-examples.ts';

export const Report = t.output(
  'Report',
  'Extension: of a run whose target answered 202 and reports later, as the job has `reportWithinSeconds`.',
  examples.report,
  {
    expiresAt: t.moment('Until when a report is waited for.'),
    percent: t.integerOrNull('The last progress, from 0 to 100.'),
    line: t.textOrNull('What the last progress said.'),
    progressAt: t.momentOrNull('When it came.'),
    outcome: t.nullable(
      t.oneOf(
        reportOutcomes,
        'What was reported; `expired` if nothing was in time. Null while the run waits.',
      ),
    ),
    reportedAt: t.momentOrNull('When the report came; null if none did.'),
    reportedBy: t.nullable(
      t.oneOf(reporters, 'Whether the target reported by its URL, or a person ended the wait.'),
    ),
    message: t.textOrNull('What the report said, on one line.'),
  },
);
export type Report = Static<typeof Report>;

const text = Type.String({
  description: `What to keep with the run: at most ${maxMessageLength} characters. Line breaks become spaces.`,
  examples: [examples.progress.message],
});
const message = t.nullable(text);
const percent = Type.Integer({
  minimum: 0,
  maximum: maxPercent,
  description: 'How much is done, from 0 to 100. With progress only.',
});

export const ReportBody = t.input(
  'ReportBody',
  'How work ended after an answer of 202, or how far it is.',
  [examples.progress],
  t.optional({
    status: t.oneOf(
      reportStatuses,
      'What is reported. The end of the URL says it too; without either it is `success`.',
    ),
    message,
    percent: t.nullable(percent),
  }),
);
export type ReportBody = Static<typeof ReportBody>;

const ReportQuery = t.query({
  message: Type.Optional(text),
  percent: Type.Optional(percent),
});
export type ReportQuery = Static<typeof ReportQuery>;

export const EndOfWait = t.input('EndOfWait', 'How a wait ends.', [examples.endOfWait], {
  status: t.oneOf(['success', 'failed'], 'What became of the work.'),
  message: Type.Optional(message),
});
export type EndOfWait = Static<typeof EndOfWait>;

const TokenPath = Type.Object({
  token: Type.String({
    description: 'The end of the URL in `X-Service-Report-Url`: a secret.',
    examples: [examples.token],
  }),
});
const SignalPath = Type.Object({
  ...TokenPath.properties,
  end: Type.String({
    description: '`fail` when the work failed, or `progress` while it continues.',
    examples: ['progress'],
  }),
});

const failures: Partial<Record<404 | 409 | 429, Refusal>> = {
  404: {
    when: 'No run has this URL, or its end is unknown.',
    example: 'there is no run at this URL',
  },
  409: {
    when: 'The run is over, or was reported before: the first report counts.',
    example: examples.over,
  },
  429: {
    when:
      'Too many reports of progress of this run: 300 a minute are kept. Or too many requests from this address that are no ' +
      'reports: to URLs of no run or of runs that are over, or refused.',
    example: 'without a valid key an address may ask 300 times a minute: again in 60 s',
  },
};

const success = {
  description:
    'Ends a run that was answered 202. An answer 200 means that the report is stored. The request needs no key. HEAD does ' +
    'nothing. A report may come before the call is answered: it counts once the answer is 202.',
  params: TokenPath,
  querystring: ReportQuery,
  response: { 200: Ok },
  answer: 'The report is stored.',
  isOpen: true,
  failures,
} as const;
const signal = {
  ...success,
  description:
    'Ends a run that was answered 202 as failed, with the message as its `error`; or says how far the work is. Of progress ' +
    'the last one is kept.',
  params: SignalPath,
} as const;

export const operations = describe(
  { tag: 'Reports', isExtension: true },
  {
    report: { summary: 'Report a success', ...success },
    reportWithBody: { summary: 'Report what the body says', ...success, body: ReportBody },
    reportSignal: { summary: 'Report a failure or progress', ...signal },
    reportSignalWithBody: {
      summary: 'Report a failure or progress with a body',
      ...signal,
      body: ReportBody,
    },
  },
);
