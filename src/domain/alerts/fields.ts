/** The fields that people set of a channel, besides its type and its config: the one place that says what each is. */

import { nameField, type Details, type Field } from '../fields.ts';
import { selectorDetail, selectorRule } from '../labels.ts';

/** Runs that change no health: a channel may ask for alerts of them too. */
export const alsoOnWords = ['missed', 'interrupted'] as const;
export type AlsoOn = (typeof alsoOnWords)[number];

/** The rule of a list of ids, of `maxItems` at most. */
export function listOf(description: string, maxItems = 1_000) {
  return {
    type: 'array',
    items: { type: 'string', format: 'uuid', description },
    maxItems,
  } as const;
}

export const channelFields = {
  name: { ...nameField, help: 'name of the channel' },
  enabled: {
    form: 'flag',
    rule: { type: 'boolean' },
    label: 'Enabled',
    help: 'whether it is notified',
    default: true,
  },
  jobIds: {
    form: 'special',
    rule: listOf('The id of a job.'),
    label: 'Chosen jobs',
    help: 'jobs that it is notified of',
    default: null,
    key: 'jobs',
    option: 'job',
  },
  monitorIds: {
    form: 'special',
    rule: listOf('The id of a monitor.'),
    label: 'Chosen monitors',
    help: 'monitors that it is notified of',
    canBeNull: true,
    key: 'monitors',
    option: 'monitor',
  },
  selector: {
    form: 'text',
    rule: selectorRule,
    label: 'Labels',
    help: 'labels of the jobs and monitors that it serves, such as client=acme,env!=dev',
    default: null,
    off: ['--no-selector', 'notify it whatever the labels are'],
  },
  afterFailures: {
    form: 'count',
    rule: { type: 'integer', minimum: 1, maximum: 100 },
    label: 'Alert after failures in a row',
    help: 'failures of a job in a row before it is notified',
    default: 1,
  },
  alsoOn: {
    form: 'words',
    rule: { type: 'array', items: { type: 'string', enum: alsoOnWords } },
    label: 'Also alert',
    help: 'runs that it is notified of besides',
    default: [],
    key: 'also',
  },
  remindEverySeconds: {
    form: 'duration',
    /** 15 minutes to 7 days. */
    rule: { type: 'integer', minimum: 900, maximum: 604_800 },
    label: 'Remind every',
    help: 'how often it is reminded of what is still down',
    default: null,
    off: ['--no-reminders', 'send no reminders'],
  },
} as const satisfies Record<string, Field>;

/** What the description of the API adds. */
export function channelDetails(): Details<typeof channelFields> {
  return {
    name: 'Not blank; it need not be unique.',
    enabled: 'Disabling it cancels deliveries that are still pending.',
    jobIds: 'Null for all jobs of the workspace.',
    monitorIds:
      'Null for all monitors of the workspace, [] for none. A new channel without this field has all monitors if it has ' +
      'all jobs, else none.',
    selector: `${selectorDetail} They count as they are when an alert is made. Not with \`jobIds\` and \`monitorIds\`.`,
    alsoOn:
      'They change no health, but are alerted too. They are gathered for 30 s and reported together.',
    remindEverySeconds: 'Null for never.',
  };
}
