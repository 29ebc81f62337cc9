/** What the description of the API says about pings. Their checks are in pings.ts. */

import { Type } from 'typebox';
import { describe, type Refusal } from '../description/operation.ts';
import { Ok } from '../http/contract.ts';
import { pingId } from './examples.ts';

const PingPath = Type.Object({
  pingId: Type.String({
    description: 'The end of the `pingUrl` of the monitor: a secret.',
    examples: [pingId],
  }),
});

const SignalPath = Type.Object({
  ...PingPath.properties,
  signal: Type.String({
    description:
      '`start` when the task starts, `fail` when it failed, or its exit code from 0 to 255, of which 0 is a success.',
    examples: ['start'],
  }),
});

const noMonitor: Refusal = {
  when: 'No monitor has this URL.',
  example: 'there is no monitor at this URL',
};
const noSignal: Refusal = { ...noMonitor, when: `${noMonitor.when} Or its end is no signal.` };
const tooMany: Refusal = {
  when: 'Too many requests to URLs of no monitor from this address.',
  example: 'without a valid key an address may ask 300 times a minute: again in 60 s',
};

const success = {
  description:
    'The task was successful. An answer 200 means that the ping is stored. The request needs no key. HEAD does the same.',
  params: PingPath,
  response: { 200: Ok },
  answer: 'The ping is stored.',
  isOpen: true,
  failures: { 404: noMonitor, 429: tooMany },
} as const;
const signal = {
  ...success,
  description: 'The task has started, has failed or has ended with an exit code.',
  params: SignalPath,
  failures: { 404: noSignal, 429: tooMany },
} as const;
const text = {
  textBody: {
    description:
      'What the task printed, of any media type. The first 4096 bytes are kept as text and shown with the ping.',
    example: 'copied 1204 files',
  },
} as const;

/** No text is too long. */
const ofAnyLength = { 413: null } as const;

export const operations = describe(
  { tag: 'Pings', isExtension: true },
  {
    ping: { summary: 'Report a success', ...success },
    pingWithText: {
      summary: 'Report a success with text',
      ...success,
      ...text,
      failures: { ...success.failures, ...ofAnyLength },
    },
    pingSignal: { summary: 'Report a start, a failure or an exit code', ...signal },
    pingSignalWithText: {
      summary: 'Report a signal with text',
      ...signal,
      ...text,
      failures: { ...signal.failures, ...ofAnyLength },
    },
  },
);
