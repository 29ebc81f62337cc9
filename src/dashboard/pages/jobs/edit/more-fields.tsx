/** The limits of a job, and notes about it. */

import { Field, TextField } from '../../../parts/forms/field.tsx';
import { jobLabels } from '../../../view/jobs/job-form.ts';
import type { JobForm } from '../../../view/jobs/job-form.ts';

interface MoreProps {
  form: JobForm;
  errorOf: (field: string) => string | null;
  onChange: (changed: Partial<JobForm>) => void;
}

/** The fields. */
export function MoreFields({ form, errorOf, onChange }: MoreProps) {
  return (
    <fieldset class="panel">
      <legend>Limits and notes</legend>
      <div class="pair">
        <TextField
          label={jobLabels.timeoutSeconds}
          hint="For each attempt, 1 to 60."
          error={errorOf('timeoutSeconds')}
          name="timeoutSeconds"
          as="short"
          value={form.timeoutSeconds}
          onInput={(value) => onChange({ timeoutSeconds: value })}
        />
        <TextField
          label={jobLabels.retries}
          hint="Up to 2, after a connection error, HTTP 429 or 5xx."
          error={errorOf('retries')}
          name="retries"
          as="short"
          value={form.retries}
          onInput={(value) => onChange({ retries: value })}
        />
      </div>
      <TextField
        label={jobLabels.awaitSeconds}
        hint="Up to 86400. The target then answers 202, works on, and reports to the URL in X-Service-Completion-Url how that ended. Empty: an answer of 202 is a success."
        error={errorOf('awaitSeconds')}
        name="awaitSeconds"
        as="short"
        value={form.awaitSeconds}
        onInput={(value) => onChange({ awaitSeconds: value })}
      />
      <Field label={jobLabels.notes} error={errorOf('notes')}>
        {(control) => (
          <textarea
            {...control}
            name="notes"
            class="prose"
            rows={3}
            value={form.notes}
            onInput={({ currentTarget }) => onChange({ notes: currentTarget.value })}
          />
        )}
      </Field>
    </fieldset>
  );
}
