/** The fields of a schedule: a cron expression in a zone, a period, or once. Its words and due times are shown while it is typed. */

import { useId } from 'preact/hooks';
import { useSchedulePreview } from '../../client/schedule-preview.ts';
import { differences, fieldError, fieldLabels } from '../../view/forms.ts';
import type { FormParts } from './items.tsx';
import type { ScheduleSettings } from '../../../domain/schedule/schedule.ts';
import {
  emptyInSchedule,
  isFilledIn,
  scheduleFields,
  scheduleForm,
} from '../../view/schedule-form.ts';
import type { ScheduleForm } from '../../view/schedule-form.ts';
import { LengthField, Radios, TextField } from './field.tsx';
import type { SchedulePreview } from '../../../api/schedule/contract.ts';
import type { Answer } from '../../client/api.ts';
import { Button, Note, Outside } from '../basic.tsx';
import { DueTimes } from '../due-times.tsx';

/** A form that has a schedule. */
interface Scheduled {
  schedule: ScheduleForm;
}

interface ScheduleProps<F extends Scheduled, T> extends FormParts<F, T> {
  isPaused: boolean;
  /** Whether a period that was not changed continues counting where it is: that of a job does. */
  keepsPeriod?: boolean;
  /** From when a period counts, if that is not when it is saved: then nothing is known of its due times yet. */
  periodHint?: string;
  /** What changes with it when somebody chooses that it is due once, or not; without it, nothing is. */
  ofOnce?: Readonly<Record<'true' | 'false', Partial<F>>>;
  /** What adjusts its due times: as it is typed, and as it is. */
  adjustments?: { typed: object; kept: object | null };
}

/** The fields, with words and due times. */
export function ScheduleItem<F extends Scheduled, T extends { id: string } & ScheduleSettings>({
  form: { schedule: value },
  thing,
  isPaused,
  keepsPeriod = false,
  periodHint,
  ofOnce,
  adjustments,
  edit,
  ...parts
}: ScheduleProps<F, T>) {
  const onChange = (changed: Partial<ScheduleForm>): void =>
    edit({ schedule: { ...value, ...changed } } as Partial<F>);
  const type = value.isOnce ? 'once' : value.scheduleType;
  const choose = (chosen: typeof type): void => {
    const isOnce = chosen === 'once';
    const schedule = { ...value, isOnce, ...(chosen !== 'once' && { scheduleType: chosen }) };
    // One that there is loses nothing.
    const more = thing === null && isOnce !== value.isOnce ? ofOnce?.[`${isOnce}`] : {};
    edit({ ...more, schedule } as Partial<F>);
  };
  const isAsked = isFilledIn(value);
  const asked = { ...scheduleFields(value), ...adjustments?.typed };
  const isKept =
    keepsPeriod &&
    thing !== null &&
    !isPaused &&
    differences(asked, { ...scheduleFields(scheduleForm(thing)), ...adjustments?.kept }).length ===
      0;
  const answer = useSchedulePreview(isAsked ? asked : null, isKept ? thing.id : null);
  const typed =
    answer?.ok === false && answer.status === 400
      ? fieldError(answer.error, emptyInSchedule(value))
      : null;
  const isOpen = type === 'period' && periodHint !== undefined;
  const other = {
    ...(isOpen && { next: [] }),
    ...(type === 'once' && { words: 'Once', notes: [] }),
  };
  const shown = answer?.ok === true ? { ...answer, body: { ...answer.body, ...other } } : answer;
  const errorOf = (name: string): string | null =>
    typed?.field === name ? typed.error : parts.errorOf(name);
  const fields = { value, errorOf, onChange };
  return (
    <div class="schedule">
      <div class="stack">
        <Radios<typeof type>
          name="scheduleType"
          options={ofOnce === undefined ? types.slice(0, 2) : types}
          value={type}
          onChange={choose}
        />
        {type === 'cron' && <CronFields {...fields} />}
        {type === 'once' && (
          <TextField
            label={fieldLabels['runAt'] ?? ''}
            error={errorOf('runAt')}
            isPolite
            name="runAt"
            type="datetime-local"
            value={value.runAt}
            onChange={(runAt) => onChange({ runAt })}
          />
        )}
        {type !== 'period' && <ZoneField {...fields} />}
        {type === 'period' && (
          <LengthField
            label="Every"
            name="periodSeconds"
            value={value.periodSeconds}
            hint={
              periodHint ??
              'Counted from when the schedule is saved. Changes of the clocks do not matter.'
            }
            error={errorOf('periodSeconds')}
            isPolite
            onChange={(periodSeconds) => onChange({ periodSeconds })}
          />
        )}
      </div>
      <Preview answer={shown} zone={value.timezone.trim()} isAsked={isAsked} isPaused={isPaused} />
    </div>
  );
}

const types = [
  ['cron', 'Cron'],
  ['period', fieldLabels['periodSeconds'] ?? ''],
  ['once', 'Once'],
] as const;

/** Expressions to begin with. */
const presets = [
  ['Hourly', '0 * * * *'],
  ['Daily', '30 2 * * *'],
  ['On weekdays', '0 9 * * 1-5'],
  ['Weekly', '0 6 * * 1'],
  ['Monthly', '0 6 1 * *'],
] as const;

interface CronProps {
  value: ScheduleForm;
  errorOf: (name: string) => string | null;
  onChange: (changed: Partial<ScheduleForm>) => void;
}

function CronFields({ value, errorOf, onChange }: CronProps) {
  return (
    <>
      <TextField
        label={fieldLabels['cronExpr'] ?? ''}
        hint="Minute, hour, day of month, month, day of week. Or @hourly, @daily, @weekly, @monthly, @yearly."
        error={errorOf('cronExpr')}
        isPolite
        class="code"
        name="cronExpr"
        value={value.cronExpr}
        placeholder="30 2 * * *"
        onChange={(cronExpr) => onChange({ cronExpr })}
      />
      <p class="chips">
        {presets.map(([word, cronExpr]) => (
          <Button key={word} onClick={() => onChange({ cronExpr })}>
            {word}
          </Button>
        ))}
      </p>
    </>
  );
}

function ZoneField({ value, errorOf, onChange }: CronProps) {
  const list = useId();
  return (
    <>
      <TextField
        label={fieldLabels['timezone'] ?? ''}
        error={errorOf('timezone')}
        isPolite
        name="timezone"
        value={value.timezone}
        list={list}
        onChange={(timezone) => onChange({ timezone })}
      />
      <datalist id={list}>
        {zones().map((zone) => (
          <option key={zone}>{zone}</option>
        ))}
      </datalist>
    </>
  );
}

let known: string[] | null = null;

/** The zones that this browser knows. */
function zones(): string[] {
  known ??= [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];
  return known;
}

interface PreviewProps {
  /** Null while it is being read. */
  answer: Answer<SchedulePreview> | null;
  zone: string;
  isAsked: boolean;
  /** Whether it waits to be resumed. */
  isPaused: boolean;
}

/** What is known of it: never the words or times of another schedule. */
function Preview({ answer, zone, isAsked, isPaused }: PreviewProps) {
  const body = answer?.ok === true ? answer.body : null;
  const first = body?.next[0];
  return (
    <div class="preview" aria-busy={isAsked && answer === null}>
      <p class={body === null ? 'quiet' : 'sentence'} role="status">
        {body?.words ?? waitingWords(isAsked, answer)}
      </p>
      {first !== undefined && isPaused && <p class="quiet">Paused now. If it is resumed:</p>}
      {body !== null && first !== undefined && <DueTimes next={body.next} zone={zone} />}
      {body?.notes.map((note) => (
        <Note key={note}>
          <Outside text={note} />
        </Note>
      ))}
    </div>
  );
}

function waitingWords(isAsked: boolean, answer: Answer<SchedulePreview> | null): string {
  if (!isAsked) return 'The next due times are shown here.';
  if (answer === null) return 'Reading…';
  return !answer.ok && answer.status !== 400 ? answer.error : 'No due times.';
}
