/** What a channel is alerted of beside changes of health: missed and interrupted runs, and what is still down. */

import { LengthFields } from '../../parts/forms/length-fields.tsx';
import { alsoOnWords } from '../../../domain/alerts/fields.ts';
import type { ChannelForm } from '../../view/channels/channel-form.ts';

interface MoreAlertsProps {
  form: ChannelForm;
  errorOf: (field: string) => string | null;
  onChange: (changes: Partial<ChannelForm>) => void;
}

/** The fields. */
export function MoreAlerts({ form, errorOf, onChange }: MoreAlertsProps) {
  const { alsoOn, reminds, remindEvery } = form;
  return (
    <fieldset class="panel">
      <legend>Also alert</legend>
      {alsoOnWords.map((word) => (
        <label key={word} class="option">
          <input
            type="checkbox"
            checked={alsoOn.includes(word)}
            onChange={({ currentTarget: { checked } }) => {
              const others = alsoOn.filter((other) => other !== word);
              onChange({ alsoOn: checked ? [...others, word] : others });
            }}
          />{' '}
          of {word} runs
        </label>
      ))}
      <label class="option">
        <input
          type="checkbox"
          checked={reminds}
          onChange={({ currentTarget: { checked } }) => onChange({ reminds: checked })}
        />{' '}
        again while something stays down
      </label>
      {reminds && (
        <LengthFields
          label="Remind every"
          name="remindEverySeconds"
          length={remindEvery}
          hint="15 minutes to 7 days."
          error={errorOf('remindEverySeconds')}
          onChange={(length) => onChange({ remindEvery: length })}
        />
      )}
    </fieldset>
  );
}
