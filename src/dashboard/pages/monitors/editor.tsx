/** Creates a monitor, or edits one. */

import { useState } from 'preact/hooks';
import type { Monitor, MonitorResponse } from '../../../api/monitors/contract.ts';
import { ofNothing, useResource } from '../../client/resource.ts';
import { change, mayWrite } from '../../client/session/session.ts';
import { tell } from '../../client/told.ts';
import { Breadcrumbs } from '../../parts/breadcrumbs.tsx';
import { EditForm, useSaving } from '../../parts/forms/edit-form.tsx';
import { Field, TextField } from '../../parts/forms/field.tsx';
import { Heading } from '../../parts/heading.tsx';
import { LengthFields } from '../../parts/forms/length-fields.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { ReadOnly } from '../../parts/read-only.tsx';
import { ScheduleFieldset } from '../../parts/forms/schedule-fields.tsx';
import { go } from '../../router.ts';
import {
  emptyInMonitor,
  monitorForm,
  monitorInput,
  monitorLabels,
} from '../../view/monitors/monitor-form.ts';
import { browserZone } from '../../view/times.ts';
import { MissingPage } from '../missing.tsx';

/** The page: with an id it edits that monitor. */
export function MonitorEditor({ id }: { id?: string }) {
  const found = useResource<MonitorResponse>(
    id === undefined ? null : `/monitors/${id}`,
    ofNothing,
  );
  if (!mayWrite.value) {
    const title = id === undefined ? 'New monitor' : 'Edit monitor';
    return <ReadOnly title={title} to="/monitors" word="Monitors" />;
  }
  if (id === undefined) return <MonitorForm monitor={null} />;
  const missing = <MissingPage what="There is no such monitor." to="/monitors" word="Monitors" />;
  return (
    <Loaded from={found} missing={missing}>
      {({ monitor }) => <MonitorForm monitor={monitor} />}
    </Loaded>
  );
}

function MonitorForm({ monitor }: { monitor: Monitor | null }) {
  const [first] = useState(() => monitorForm(monitor, browserZone()));
  const [draft, set] = useState(first);
  const saving = useSaving<MonitorResponse>(monitorLabels, emptyInMonitor(draft));
  const { errorOf } = saving;
  const isChanged = JSON.stringify(draft) !== JSON.stringify(first);
  const edit = (changes: Partial<typeof draft>): void => set({ ...draft, ...changes });
  const back = monitor === null ? '/monitors' : `/monitors/${monitor.id}`;
  const save = () =>
    saving.save(
      () =>
        monitor === null
          ? change('POST', '/monitors', { ...monitorInput(draft), paused: draft.paused })
          : change('PATCH', `/monitors/${monitor.id}`, monitorInput(draft)),
      ({ monitor: saved }) => {
        tell({ text: `${saved.name} is ${monitor === null ? 'created' : 'saved'}.` });
        go(`/monitors/${saved.id}`, { replace: true });
      },
    );
  const title = monitor === null ? 'New monitor' : `Edit ${monitor.name}`;
  return (
    <section class="editor stack">
      <Breadcrumbs kind="monitor" below={monitor} />
      <Heading title={title} />
      <EditForm
        saving={saving}
        isChanged={isChanged}
        action={monitor === null ? 'Create monitor' : 'Save'}
        cancelTo={back}
        onSave={() => void save()}
      >
        <TextField
          label={monitorLabels.name}
          error={errorOf('name')}
          name="name"
          value={draft.name}

          onInput={(value) => edit({ name: value })}
        />
        <ScheduleFieldset
          legend="When a ping is due"
          isPaused={monitor?.paused ?? draft.paused}
          periodHint="Counted from one ping to the next, and from the first one on."
          value={draft.schedule}
          error={saving.error}
          onChange={(changed) => edit({ schedule: { ...draft.schedule, ...changed } })}
        />
        <LengthFields
          label={monitorLabels.graceSeconds}
          length={draft.grace}
          hint="How long a ping may be overdue before the monitor is down: longer than the task takes."
          error={errorOf('graceSeconds')}
          onChange={(grace) => edit({ grace })}
        />
        <Field label={monitorLabels.notes} error={errorOf('notes')}>
          {(control) => (
            <textarea
              {...control}
              class="prose"
              value={draft.notes}
              onInput={({ currentTarget: { value } }) => edit({ notes: value })}
            />
          )}
        </Field>
        {monitor === null && (
          <div class="option">
            <input
              id="paused"
              type="checkbox"
              checked={draft.paused}
              onChange={({ currentTarget: { checked } }) => edit({ paused: checked })}
            />
            <label htmlFor="paused">
              Create it paused: no ping is expected until it is resumed
            </label>
          </div>
        )}
      </EditForm>
    </section>
  );
}
