/** The editor of a monitor, as a list of what it asks for. */

import type { Monitor } from '../../../api/monitors/contract.ts';
import type { EditorOf } from '../../parts/forms/editor.tsx';
import type { AboutFields, Section } from '../../parts/forms/items.tsx';
import { ScheduleItem } from '../../parts/forms/schedule-fields.tsx';
import { emptyInMonitor, monitorForm, monitorInput } from '../../view/monitor-form.ts';
import type { MonitorForm } from '../../view/monitor-form.ts';
import { browserZone } from '../../view/times.ts';

const sections: readonly Section<MonitorForm, Monitor>[] = [
  { legend: 'What is watched', items: ['name'] },
  {
    legend: 'When a ping is due',
    items: [
      (parts) => (
        <ScheduleItem
          key="schedule"
          {...parts}
          isPaused={parts.thing?.paused ?? parts.form.paused}
          periodHint="Counted from one ping to the next, and from the first one on."
        />
      ),
    ],
  },
  { legend: 'Grace, labels and notes', items: ['graceSeconds', 'labels', 'notes', 'paused'] },
];

const about: AboutFields<MonitorForm, Monitor> = {
  graceSeconds: {
    hint: 'How long a ping may be overdue before the monitor is down: longer than the task takes.',
  },
  labels: { form: 'text', hint: 'Such as client=acme, env=prod.' },
  paused: {
    label: 'Create it paused: no ping is expected until it is resumed',
    isShown: (_, monitor) => monitor === null,
  },
};

export const monitorEditor: EditorOf<Monitor, MonitorForm> = {
  kind: 'monitor',
  sections,
  about,
  formOf: (monitor) => monitorForm(monitor, browserZone()),
  inputOf: monitorInput,
  emptyIn: emptyInMonitor,
};
