/** What a job calls, and what it sends. */

import { characterCount } from '../../../../domain/characters.ts';
import { maxBodyLength, methods } from '../../../../domain/jobs/fields.ts';
import type { Method } from '../../../../domain/jobs/job.ts';
import { Field, TextField } from '../../../parts/forms/field.tsx';
import { hasBody, jobLabels, keepLineEnds, urlProblem } from '../../../view/jobs/job-form.ts';
import type { JobForm } from '../../../view/jobs/job-form.ts';
import { Headers } from './headers.tsx';
import { figures } from '../../../view/figures.ts';

interface FieldsProps {
  form: JobForm;
  errorOf: (field: string) => string | null;
  onChange: (changed: Partial<JobForm>) => void;
}

/** Name, method and URL. */
export function RequestFields({ form, errorOf, onChange }: FieldsProps) {
  return (
    <div class="panel stack">
      <TextField
        label={jobLabels.name}
        error={errorOf('name')}
        name="name"
        value={form.name}

        onInput={(value) => onChange({ name: value })}
      />
      <div class="target">
        <Field label={jobLabels.method} error={errorOf('method')}>
          {(control) => (
            <select
              {...control}
              name="method"
              value={form.method}
              onChange={({ currentTarget }) => onChange({ method: currentTarget.value as Method })}
            >
              {methods.map((method) => (
                <option key={method}>{method}</option>
              ))}
            </select>
          )}
        </Field>
        <TextField
          label={jobLabels.url}
          hint={urlProblem(form.url) ?? undefined}
          error={errorOf('url')}
          name="url"
          as="code"
          inputMode="url"
          value={form.url}
          placeholder="https://example.com/path"

          onInput={(value) => onChange({ url: value.trim() })}
        />
      </div>
    </div>
  );
}

interface SentProps extends FieldsProps {
  /** Names of the headers that the job has. */
  kept: readonly string[];
}

/** Headers and body. */
export function SentFields({ form, kept, errorOf, onChange }: SentProps) {
  const length = characterCount(form.body);
  const isBodyShown = hasBody(form.method) || form.body !== '' || errorOf('body') !== null;
  return (
    <fieldset class="panel">
      <legend>What is sent</legend>
      <Headers
        rows={form.headers}
        kept={kept}
        error={errorOf('headers')}
        onChange={(headers) => onChange({ headers })}
      />
      {isBodyShown && (
        <Field
          label={jobLabels.body}
          error={errorOf('body')}
          hint={<BodyHint length={length} form={form} />}
        >
          {(control) => (
            <textarea
              {...control}
              name="body"
              rows={6}
              value={form.body}
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              onInput={({ currentTarget }) =>
                onChange({ body: keepLineEnds(currentTarget.value, form.body) })
              }
            />
          )}
        </Field>
      )}
    </fieldset>
  );
}

function BodyHint({ length, form }: { length: number; form: JobForm }) {
  const hasType = form.headers?.some(({ name }) => name.toLowerCase() === 'content-type') ?? true;
  const words = `${figures(length)} / ${figures(maxBodyLength)} characters`;
  return (
    <>
      <span class={length > maxBodyLength ? 'over figure' : 'figure'}>{words}</span>
      {!hasBody(form.method) &&
        `. ${form.method} sends no body: choose another method, or empty it.`}
      {hasBody(form.method) &&
        !hasType &&
        '. Sent as text/plain unless a Content-Type header says otherwise.'}
    </>
  );
}
