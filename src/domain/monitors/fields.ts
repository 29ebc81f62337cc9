/** The fields that people set of a monitor: the one place that says what each is. */

import { nameField, notesField, type Details, type Field } from '../fields.ts';
import { labelsDetail, labelsField } from '../labels.ts';
import { scheduleDetails, scheduleFields } from '../schedule/fields.ts';

export const monitorFields = {
  name: { ...nameField, help: 'name of the monitor' },
  ...scheduleFields,
  graceSeconds: {
    form: 'duration',
    rule: { type: 'integer', minimum: 0, maximum: 86_400 },
    label: 'Grace',
    help: 'how late a ping may be',
    default: 300,
  },
  labels: labelsField,
  notes: notesField,
  paused: {
    form: 'flag',
    rule: { type: 'boolean' },
    label: 'Paused',
    help: 'whether no ping is expected',
    default: false,
  },
} as const satisfies Record<string, Field>;

/** What the description of the API adds. */
export function monitorDetails(): Details<typeof monitorFields> {
  return {
    name: 'Not blank; it need not be unique.',
    ...scheduleDetails('It is counted from the last ping.'),
    graceSeconds:
      'Then the monitor is down. A run that has started must also end within this time.',
    labels: labelsDetail,
    paused: 'Nothing is expected of a paused monitor until it is resumed.',
  };
}
