/** Creates a channel, or edits one. */

import { useState } from 'preact/hooks';
import type { Channel, ChannelMade, ChannelResponse } from '../../../api/alerts/contract.ts';
import { ofNothing, useResource } from '../../client/resource.ts';
import { change, mayWrite } from '../../client/session/session.ts';
import { secretIsLost, useStay } from '../../client/stay.ts';
import { tell } from '../../client/told.ts';
import { Breadcrumbs } from '../../parts/breadcrumbs.tsx';
import { MadeSecret } from '../../parts/dialogs/made-secret.tsx';
import { EditForm, useSaving } from '../../parts/forms/edit-form.tsx';
import { Field, TextField } from '../../parts/forms/field.tsx';
import { Heading } from '../../parts/heading.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { ReadOnly } from '../../parts/read-only.tsx';
import { go, stayUntil } from '../../router.ts';
import {
  channelLabels,
  emptyInChannel,
  labelsOf,
  channelForm,
  channelInput,
  channelUpdate,
} from '../../view/channels/channel-form.ts';
import { channelKinds } from '../../view/channels/channel-kinds.ts';
import { MissingPage } from '../missing.tsx';
import { ConfigFields } from './config-fields.tsx';
import { MoreAlerts } from './more-alerts.tsx';
import { Serves } from './serves.tsx';

/** The page: with an id it edits that channel. */
export function ChannelEditor({ id }: { id?: string }) {
  const found = useResource<ChannelResponse>(
    id === undefined ? null : `/channels/${id}`,
    ofNothing,
  );
  if (!mayWrite.value) {
    const title = id === undefined ? 'New channel' : 'Edit channel';
    return <ReadOnly title={title} to="/channels" word="Channels" />;
  }
  if (id === undefined) return <Editor channel={null} />;
  const missing = <MissingPage what="There is no such channel." to="/channels" word="Channels" />;
  return (
    <Loaded from={found} missing={missing}>
      {({ channel }) => <Editor channel={channel} />}
    </Loaded>
  );
}

function Editor({ channel }: { channel: Channel | null }) {
  const [first] = useState(() => channelForm(channel));
  const [form, set] = useState(first);
  const [made, setMade] = useState<ChannelMade | null>(null);
  const saving = useSaving<ChannelMade>(labelsOf(form.type), emptyInChannel(form));
  const { errorOf } = saving;
  const edit = (changes: Partial<typeof form>): void => set({ ...form, ...changes });
  const isChanged = made === null && JSON.stringify(form) !== JSON.stringify(first);
  const back = channel === null ? '/channels' : `/channels/${channel.id}`;
  useStay(made !== null, secretIsLost);
  const done = (saved: Channel): void => {
    stayUntil(null);
    tell({ text: `${saved.name} is ${channel === null ? 'created' : 'saved'}.` });
    go(`/channels/${saved.id}`, { replace: true });
  };
  const save = () =>
    saving.save(
      () =>
        channel === null
          ? change('POST', '/channels', channelInput(form))
          : change('PATCH', `/channels/${channel.id}`, channelUpdate(form)),
      (body) => (body.secret === undefined ? done(body.channel) : setMade(body)),
    );
  return (
    <section class="editor stack">
      <Breadcrumbs kind="channel" below={channel} />
      <Heading title={channel === null ? 'New channel' : `Edit ${channel.name}`} />
      <EditForm
        saving={saving}
        isChanged={isChanged}
        action={channel === null ? 'Create channel' : 'Save'}
        cancelTo={back}
        onSave={() => void save()}
      >
        <div class="pair">
          <TextField
            label={channelLabels.name}
            error={errorOf('name')}
            name="name"
            value={form.name}

            onInput={(value) => edit({ name: value })}
          />
          <TypeField
            type={form.type}
            isFixed={channel !== null}
            onChange={(type) => edit({ type })}
          />
        </div>
        <fieldset class="panel">
          <legend>Destination</legend>
          <ConfigFields
            type={form.type}
            config={form.config}
            isKept={channel !== null}
            errorOf={errorOf}
            onChange={(config) => edit({ config })}
          />
        </fieldset>
        <fieldset class="panel">
          <legend>Serves</legend>
          <Serves
            kind="jobs"
            served={form.jobs}
            error={errorOf('jobIds')}
            onChange={(jobs) => edit({ jobs })}
          />
          <Serves
            kind="monitors"
            served={form.monitors}
            error={errorOf('monitorIds')}
            onChange={(monitors) => edit({ monitors })}
          />
        </fieldset>
        <TextField
          label={channelLabels.afterFailures}
          hint="How many runs of a job must fail before its alert. A monitor alerts at once."
          error={errorOf('afterFailures')}
          name="afterFailures"
          as="short"
          value={form.afterFailures}
          onInput={(value) => edit({ afterFailures: value })}
        />
        <MoreAlerts form={form} errorOf={errorOf} onChange={edit} />
        <label class="option">
          <input
            type="checkbox"
            checked={form.enabled}
            onChange={({ currentTarget: { checked } }) => edit({ enabled: checked })}
          />{' '}
          On: alerts are sent
        </label>
      </EditForm>
      {made?.secret !== undefined && (
        <MadeSecret secret={made.secret} onKept={() => done(made.channel)}>
          Your endpoint checks with it that alerts come from this jobd.
        </MadeSecret>
      )}
    </section>
  );
}

interface TypeFieldProps {
  type: Channel['type'];
  /** Whether it can no longer be changed. */
  isFixed: boolean;
  onChange: (type: Channel['type']) => void;
}

function TypeField({ type, isFixed, onChange }: TypeFieldProps) {
  return (
    <Field label={channelLabels.type} hint={isFixed ? 'It cannot be changed.' : undefined}>
      {(control) => (
        <select
          {...control}
          value={type}
          disabled={isFixed}
          onChange={({ currentTarget: { value } }) => onChange(value as Channel['type'])}
        >
          {Object.entries(channelKinds).map(([kind, { word }]) => (
            <option key={kind} value={kind}>
              {word}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
