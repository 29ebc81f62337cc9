/** The fields of a schedule: a cron expression in a zone, or a period. Its due times are shown while it is typed. */

import { useId } from 'preact/hooks';
import { useSchedulePreview } from '../../client/schedule-preview.ts';
import type { FieldError } from '../../view/field-errors.ts';
import { fieldError } from '../../view/field-errors.ts';
import {
  emptyInSchedule,
  isFilledIn,
  scheduleFields,
  scheduleLabels,
} from '../../view/schedule/schedule-form.ts';
import type { ScheduleForm } from '../../view/schedule/schedule-form.ts';
import { Field, TextField } from './field.tsx';
import { LengthFields } from './length-fields.tsx';
import { Preview } from './schedule-preview.tsx';

interface ScheduleProps {
  legend: string;
  value: ScheduleForm;
  /** What the API said when it was saved. */
  error: FieldError | null;
  /** The job that has this schedule already. */
  jobId?: string | null;
  isPaused?: boolean;
  /** From when a period counts, if that is not when it is saved: then nothing is known of its due times yet. */
  periodHint?: string;
  onChange: (changed: Partial<ScheduleForm>) => void;
}

/** The group of fields. */
export function ScheduleFieldset({
  legend,
  value,
  error,
  jobId = null,
  isPaused = false,
  periodHint,
  onChange,
}: ScheduleProps) {
  const isCron = value.scheduleType === 'cron';
  const isAsked = isFilledIn(value);
  const answer = useSchedulePreview(isAsked ? scheduleFields(value) : null, jobId);
  const typed =
    answer?.ok === false && answer.status === 400
      ? fieldError(answer.error, scheduleLabels, emptyInSchedule(value))
      : null;
  const isOpen = !isCron && periodHint !== undefined && answer?.ok === true;
  const shown = isOpen ? { ...answer, body: { ...answer.body, next: [] } } : answer;
  const errorOf = (name: string): string | null => {
    const found = [typed, error].find((one) => one?.field === name);
    return found?.error ?? null;
  };
  return (
    <fieldset class="panel schedule">
      <legend>{legend}</legend>
      <div class="stack">
        <p class="choice">
          <Choice
            word="Cron"
            isChosen={isCron}
            onChoose={() => onChange({ scheduleType: 'cron' })}
          />
          <Choice
            word={scheduleLabels.periodSeconds}
            isChosen={!isCron}
            onChoose={() => onChange({ scheduleType: 'period' })}
          />
        </p>
        {isCron ? (
          <CronFields value={value} errorOf={errorOf} onChange={onChange} />
        ) : (
          <LengthFields
            label="Every"
            name="periodSeconds"
            length={{ count: value.every, unit: value.unit }}
            hint={
              periodHint ??
              'Counted from when the schedule is saved. Changes of the clocks do not matter.'
            }
            error={errorOf('periodSeconds')}
            isPolite
            onChange={({ count, unit }) => onChange({ every: count, unit })}
          />
        )}
      </div>
      <Preview
        answer={shown}
        zone={value.timezone.trim()}
        isFilledIn={isAsked}
        isPaused={isPaused}
        withSeconds={!isCron}
      />
    </fieldset>
  );
}

interface ChoiceProps {
  word: string;
  isChosen: boolean;
  onChoose: () => void;
}

function Choice({ word, isChosen, onChoose }: ChoiceProps) {
  return (
    <label class="option">
      <input type="radio" name="scheduleType" checked={isChosen} onChange={onChoose} /> {word}
    </label>
  );
}

interface CronProps {
  value: ScheduleForm;
  errorOf: (name: string) => string | null;
  onChange: (changed: Partial<ScheduleForm>) => void;
}

function CronFields({ value, errorOf, onChange }: CronProps) {
  const list = useId();
  return (
    <>
      <TextField
        label={scheduleLabels.cronExpr}
        hint="Minute, hour, day of month, month, day of week. Or @hourly, @daily, @weekly, @monthly, @yearly."
        error={errorOf('cronExpr')}
        isPolite
        as="code"
        name="cronExpr"
        value={value.cronExpr}
        placeholder="30 2 * * *"
        onInput={(cronExpr) => onChange({ cronExpr })}
      />
      <Field label={scheduleLabels.timezone} error={errorOf('timezone')} isPolite>
        {(control) => (
          <>
            <input
              {...control}
              name="timezone"
              value={value.timezone}
              list={list}
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              onInput={({ currentTarget }) => onChange({ timezone: currentTarget.value })}
            />
            <datalist id={list}>
              {zones().map((zone) => (
                <option key={zone}>{zone}</option>
              ))}
            </datalist>
          </>
        )}
      </Field>
    </>
  );
}

let known: string[] | null = null;

/** The zones that this browser knows. */
function zones(): string[] {
  known ??= [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];
  return known;
}
