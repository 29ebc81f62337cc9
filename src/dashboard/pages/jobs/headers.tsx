/** The headers of a job. Values of a job that there is cannot be read: they are kept, or all replaced. */

import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { Job } from '../../../api/jobs/contract.ts';
import { unaided } from '../../parts/forms/field.tsx';
import type { FormParts } from '../../parts/forms/items.tsx';
import { Button, Outside, Problem } from '../../parts/basic.tsx';
import { headerNamed, type HeaderRow, type JobForm } from '../../view/job-form.ts';

type Rows = JobForm['headers'];

const none: HeaderRow = { name: '', value: '' };

/** The names that are kept, or a row for each header. */
export function Headers({ form, thing, labels, errorOf, edit }: FormParts<JobForm, Job>) {
  const rows = form.headers;
  const kept = thing?.headerNames ?? [];
  const error = errorOf('headers');
  const onChange = (headers: Rows): void => edit({ headers });
  const id = useId();
  const group = useRef<HTMLFieldSetElement>(null);
  const next = useRef<[selector: string, index: number] | null>(null);
  useLayoutEffect(() => {
    if (next.current === null) return;
    const [selector, index] = next.current;
    [...(group.current?.querySelectorAll<HTMLElement>(selector) ?? [])].at(index)?.focus();
    next.current = null;
  }, [rows]);
  /** `selector` and `index` say what gets the focus then. */
  const change = (changed: Rows, selector: string, index = 0): void => {
    next.current = [selector, index];
    onChange(changed);
  };
  return (
    <fieldset
      ref={group}
      class="input headers"
      aria-describedby={error === null ? undefined : `${id}-error`}
    >
      <legend class="label">{labels['headers']}</legend>
      {rows === null ? (
        <p class="actions">
          <span>
            {kept.map((name, index) => (
              <span key={name}>
                {index > 0 && ', '}
                <Outside text={name} />
              </span>
            ))}{' '}
            <span class="quiet">(values are kept, and cannot be shown)</span>
          </span>
          <Button
            name="headers"
            onClick={() =>
              change(
                kept.map((name) => ({ name, value: '' })),
                'input',
                1,
              )
            }
          >
            Replace all
          </Button>
        </p>
      ) : (
        <>
          {rows.map((row, index) => (
            <Row
              // oxlint-disable-next-line react/no-array-index-key -- rows have no other name, and keep no state
              key={index}
              row={row}
              index={index}
              onChange={(changed) => onChange(rows.with(index, changed))}
              onRemove={() => change(rows.toSpliced(index, 1), 'button[name=headers]')}
            />
          ))}
          <p class="actions">
            <Button name="headers" onClick={() => change([...rows, none], 'input.name', -1)}>
              Add a header
            </Button>
            {kept.length > 0 && (
              <Button onClick={() => change(null, 'button')}>Keep those of the job</Button>
            )}
          </p>
          {kept.length > 0 && (
            <p class="hint">
              {rows.length === 0
                ? 'Save removes all headers of the job.'
                : 'Save replaces all headers of the job by these.'}
            </p>
          )}
        </>
      )}
      {error !== null && <Problem id={`${id}-error`} text={error} />}
    </fieldset>
  );
}

interface RowProps {
  row: HeaderRow;
  index: number;
  onChange: (row: HeaderRow) => void;
  onRemove: () => void;
}

function Row({ row, index, onChange, onRemove }: RowProps) {
  const value = useRef<HTMLInputElement>(null);
  return (
    <p class="header">
      <input
        {...unaided}
        class="code name"
        aria-label={`Name of header ${index + 1}`}
        placeholder="Name"
        value={row.name}
        onInput={({ currentTarget }) => {
          const changed = headerNamed(currentTarget.value, row);
          onChange(changed);
          if (changed.name !== currentTarget.value) value.current?.focus();
        }}
      />
      <input
        {...unaided}
        ref={value}
        class="code"
        aria-label={`Value of ${row.name === '' ? `header ${index + 1}` : row.name}`}
        placeholder="Value"
        value={row.value}
        onInput={({ currentTarget }) => onChange({ ...row, value: currentTarget.value })}
      />
      <Button
        class="plain"
        aria-label={`Remove ${row.name === '' ? `header ${index + 1}` : row.name}`}
        onClick={onRemove}
      >
        Remove
      </Button>
    </p>
  );
}
