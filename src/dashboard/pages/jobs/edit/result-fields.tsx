/** Where the results of a job go, and the secret that signs them. What is kept can be replaced, never read. */

import { leavesOrigin } from '../../../../domain/jobs/job.ts';
import { Field, TextField } from '../../../parts/forms/field.tsx';
import { HiddenInput } from '../../../parts/forms/hidden-input.tsx';
import { jobLabels } from '../../../view/jobs/job-form.ts';
import type { JobForm } from '../../../view/jobs/job-form.ts';

interface ResultProps {
  form: JobForm;
  /** The URL that the job has; blank if it has none. */
  kept: string;
  errorOf: (field: string) => string | null;
  onChange: (changed: Partial<JobForm>) => void;
}

/** The fields. The secret is asked for only where results go somewhere. */
export function ResultFields({ form, kept, errorOf, onChange }: ResultProps) {
  const { onResult, onResultSecret } = form;
  const isKept = kept !== '' && !leavesOrigin({ url: kept }, { url: onResult });
  return (
    <fieldset class="panel">
      <legend>Results</legend>
      <TextField
        label={jobLabels.onResult}
        hint="A URL that gets each finished run as a signed POST. Empty: none are sent."
        error={errorOf('onResult')}
        name="onResult"
        as="code"
        inputMode="url"
        value={onResult}
        placeholder="https://example.com/results"
        onInput={(value) => onChange({ onResult: value.trim() })}
      />
      {onResult !== '' && (
        <Field
          label={`${jobLabels.onResultSecret} (optional)`}
          hint={
            isKept
              ? 'Empty: the one there is stays.'
              : 'Empty: jobd makes one, and shows it once after you save.'
          }
          error={errorOf('onResultSecret')}
        >
          {(control) => (
            <HiddenInput
              control={control}
              name="onResultSecret"
              value={onResultSecret}
              onInput={(value) => onChange({ onResultSecret: value })}
            />
          )}
        </Field>
      )}
    </fieldset>
  );
}
