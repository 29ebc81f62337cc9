/** The headers of a job. Values of a job that there is cannot be read: they are kept, or all replaced. */

import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Outside } from '../../../parts/outside.tsx';
import { Problem } from '../../../parts/problem.tsx';
import { headerNamed, jobLabels } from '../../../view/jobs/job-form.ts';
import type { HeaderRow } from '../../../view/jobs/job-form.ts';

type Rows = readonly HeaderRow[] | null;

interface HeadersProps {
  rows: Rows;
  /** Names of those that the job has. */
  kept: readonly string[];
  error: string | null;
  onChange: (rows: Rows) => void;
}

const none: HeaderRow = { name: '', value: '' };

/** The names that are kept, or a row for each header. */
export function Headers({ rows, kept, error, onChange }: HeadersProps) {
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
      <legend class="label">{jobLabels.headers}</legend>
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
          <button
            type="button"
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
          </button>
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
            <button
              type="button"
              name="headers"
              onClick={() => change([...rows, none], 'input.name', -1)}
            >
              Add a header
            </button>
            {kept.length > 0 && (
              <button type="button" onClick={() => change(null, 'button')}>
                Keep those of the job
              </button>
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
  const quiet = { autocomplete: 'off', autocapitalize: 'off', spellcheck: false } as const;
  return (
    <p class="header">
      <input
        {...quiet}
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
        {...quiet}
        ref={value}
        class="code"
        aria-label={`Value of ${row.name === '' ? `header ${index + 1}` : row.name}`}
        placeholder="Value"
        value={row.value}
        onInput={({ currentTarget }) => onChange({ ...row, value: currentTarget.value })}
      />
      <button
        type="button"
        class="plain"
        aria-label={`Remove ${row.name === '' ? `header ${index + 1}` : row.name}`}
        onClick={onRemove}
      >
        Remove
      </button>
    </p>
  );
}
