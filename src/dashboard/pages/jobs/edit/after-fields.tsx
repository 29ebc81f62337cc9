/** What a job runs after, instead of on its schedule. */

import { useRef, useState } from 'preact/hooks';
import type { JobSummary } from '../../../../api/overview/contract.ts';
import { showControls } from '../../../../domain/characters.ts';
import { afterOnVerbs, afterOnWords } from '../../../../domain/jobs/after-words.ts';
import type { AfterOn } from '../../../../domain/jobs/after-words.ts';
import { ofNothing, useResource } from '../../../client/resource.ts';
import { Field, TextField } from '../../../parts/forms/field.tsx';
import { jobLabels } from '../../../view/jobs/job-form.ts';
import type { JobForm } from '../../../view/jobs/job-form.ts';

interface AfterProps {
  form: JobForm;
  /** The job that is changed: it does not run after itself. */
  jobId: string | undefined;
  error: string | null;
  onChange: (changed: Partial<JobForm>) => void;
}

/** The fields: another job, and which end of it starts this one. Of more than a hundred jobs, those with a text in them are listed. */
export function AfterFields({ form: { after, afterOn }, jobId, error, onChange }: AfterProps) {
  const [text, setText] = useState('');
  const path = `/overview/jobs?order=name&limit=100&q=${encodeURIComponent(text)}`;
  const list = useResource<{ jobs: JobSummary[]; nextCursor: string | null }>(path, ofNothing).body
    .value;
  const others = (list?.jobs ?? []).filter(({ id }) => id !== jobId);
  const names = useRef(new Map<string, string>()).current;
  for (const { id, name } of others) names.set(id, name);
  const hasMore = text !== '' || list?.nextCursor;
  const isListed = after === '' || others.some(({ id }) => id === after);
  return (
    <fieldset class="panel">
      <legend>Or after another job</legend>
      {hasMore && <TextField label="Find a job" name="find" value={text} onInput={setText} />}
      <div class="pair">
        <Field
          label={jobLabels.after}
          hint="Instead of on its schedule, which is kept."
          error={error}
        >
          {(control) => (
            <select
              {...control}
              name="after"
              value={after}
              onChange={({ currentTarget }) => onChange({ after: currentTarget.value })}
            >
              <option value="">no other job</option>
              {!isListed && (
                <option value={after}>{showControls(names.get(after) ?? after)}</option>
              )}
              {others.map(({ id, name }) => (
                <option key={id} value={id}>
                  {showControls(name)}
                </option>
              ))}
            </select>
          )}
        </Field>
        {after !== '' && (
          <Field label="When that one">
            {(control) => (
              <select
                {...control}
                name="afterOn"
                value={afterOn}
                onChange={({ currentTarget }) =>
                  onChange({ afterOn: currentTarget.value as AfterOn })
                }
              >
                {afterOnWords.map((word) => (
                  <option key={word} value={word}>
                    {afterOnVerbs[word]}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
      </div>
    </fieldset>
  );
}
