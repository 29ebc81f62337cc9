/** The fields that people set of a window. */

import { listOf } from '../../domain/alerts/fields.ts';
import { nameField } from '../../domain/fields.ts';
import type { Details, Field, ValuesOf } from '../../domain/fields.ts';
import { selectorDetail, selectorRule } from '../../domain/labels.ts';
import { adjustmentFields, scheduleFields } from '../../domain/schedule/fields.ts';
import type { WindowEffect } from '../../domain/windows.ts';

const windowEffects = ['mute', 'hold'] as const satisfies readonly WindowEffect[];
/** Of one period. */
export const longestSeconds = 604_800;
/** Each health change reads all windows of its workspace: their text stays short. */
const mostIds = 100;
const time = { form: 'time', rule: adjustmentFields.notBefore.rule, default: null } as const;

export const windowFields = {
  name: { ...nameField, help: 'name of the window' },
  effect: {
    form: 'word',
    rule: { type: 'string', enum: windowEffects },
    label: 'Effect',
    help: 'what it does',
  },
  selector: {
    form: 'text',
    rule: selectorRule,
    label: 'Labels',
    help: 'labels of the jobs and monitors that it is about, such as client=acme,env!=dev',
    default: null,
    off: ['--no-selector', 'be about jobs and monitors whatever their labels are'],
  },
  jobIds: {
    form: 'special',
    rule: listOf('The id of a job.', mostIds),
    label: 'Chosen jobs',
    help: 'jobs that it is about',
    default: null,
    option: 'job',
  },
  monitorIds: {
    form: 'special',
    rule: listOf('The id of a monitor.', mostIds),
    label: 'Chosen monitors',
    help: 'monitors that it is about',
    default: null,
    option: 'monitor',
  },
  from: { ...time, label: 'From', help: 'when it begins, such as 22:00' },
  until: { ...time, label: 'Until', help: 'when it ends, such as 06:00' },
  cronExpr: { ...scheduleFields.cronExpr, help: 'when each period begins', default: null },
  timezone: scheduleFields.timezone,
  durationSeconds: {
    form: 'duration',
    rule: { type: 'integer', minimum: 60, maximum: longestSeconds },
    label: 'Lasts',
    help: 'how long it lasts',
    default: null,
    option: 'for',
  },
} as const satisfies Record<string, Field>;

/** What the description of the API adds. */
export function windowDetails(): Details<typeof windowFields> {
  const times =
    'ISO 8601 with an offset or `Z`, or without one in `timezone`; a time of day alone, such as `22:00`, is the next one';
  return {
    name: 'Not blank; it need not be unique.',
    effect:
      '`mute`: nobody is alerted, while jobs are called and monitors watched as ever. `hold`: due times of jobs are neither called nor ' +
      'missed, and a ping that is due has its grace after it; one-time jobs are called.',
    selector: `${selectorDetail} They count as they are at each moment. Not with \`jobIds\` and \`monitorIds\`.`,
    jobIds: 'With neither these, `monitorIds` nor `selector`, it is about all jobs and monitors.',
    from: `${times}. Default: now, without \`cronExpr\`. Not with \`cronExpr\`.`,
    until: `${times} after \`from\` that is still to come. At most 7 days after \`from\`. Not with \`cronExpr\`.`,
    cronExpr: 'Of a window that recurs: five fields, as for a job.',
    timezone: 'Also of times without an offset.',
    durationSeconds:
      'Required with `cronExpr`; without it another way to say `until`, which answers have.',
  };
}

export type WindowSettings = ValuesOf<typeof windowFields>;
/** What a request sets. */
export type WindowInput = Partial<WindowSettings> & Pick<WindowSettings, 'name' | 'effect'>;
export type WindowUpdate = Partial<WindowSettings>;
