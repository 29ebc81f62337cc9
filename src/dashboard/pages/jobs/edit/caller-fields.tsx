/** How calls prove to their target who makes them. */

import { Field, TextField } from '../../../parts/forms/field.tsx';
import { jobLabels, signChoices, wantsAudience } from '../../../view/jobs/job-form.ts';
import type { JobForm } from '../../../view/jobs/job-form.ts';

interface CallerProps {
  form: JobForm;
  errorOf: (field: string) => string | null;
  onChange: (changed: Partial<JobForm>) => void;
}

/** The kind of proof, and who a token is for. */
export function CallerFields({ form, errorOf, onChange }: CallerProps) {
  return (
    <fieldset class="panel">
      <legend>Who calls</legend>
      <div class="pair">
        <Field
          label={jobLabels.sign}
          hint="So that the target can tell your calls from others."
          error={errorOf('sign')}
        >
          {(control) => (
            <select
              {...control}
              name="sign"
              value={form.sign}
              onChange={({ currentTarget }) =>
                onChange({ sign: currentTarget.value as JobForm['sign'] })
              }
            >
              {signChoices.map(([kind, words]) => (
                <option key={kind} value={kind}>
                  {words}
                </option>
              ))}
            </select>
          )}
        </Field>
        {wantsAudience(form) && (
          <TextField
            label={jobLabels.audience}
            hint="Who the token is for, such as https://api.example.com."
            error={errorOf('audience')}
            name="audience"
            value={form.audience}
            onInput={(value) => onChange({ audience: value })}
          />
        )}
      </div>
    </fieldset>
  );
}
