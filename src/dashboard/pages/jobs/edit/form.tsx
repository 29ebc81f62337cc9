/** The form of a job. Nothing that was typed is lost, whatever the server says. */

import type { ComponentChildren, TargetedSubmitEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Job } from '../../../../api/jobs/contract.ts';
import type { PastedDraft } from '../../../../wings/readers/pasted.ts';
import type { Failure } from '../../../client/api.ts';
import { secretIsLost, useStay } from '../../../client/stay.ts';
import { MadeSecret } from '../../../parts/dialogs/made-secret.tsx';
import { Link } from '../../../parts/link.tsx';
import { Problem } from '../../../parts/problem.tsx';
import { ScheduleFieldset } from '../../../parts/forms/schedule-fields.tsx';
import { fieldError } from '../../../view/field-errors.ts';
import type { FieldError } from '../../../view/field-errors.ts';
import {
  changesOf,
  emptyIn,
  headerProblem,
  inputOf,
  jobLabels,
  withDraft,
} from '../../../view/jobs/job-form.ts';
import type { JobForm } from '../../../view/jobs/job-form.ts';
import { isFilledIn, sameTyped, scheduleLabels } from '../../../view/schedule/schedule-form.ts';
import { AfterFields } from './after-fields.tsx';
import { CallerFields } from './caller-fields.tsx';
import { MoreFields } from './more-fields.tsx';
import { Paste } from './paste.tsx';
import { RequestFields, SentFields } from './request-fields.tsx';
import { ResultFields } from './result-fields.tsx';
import { createAndRun, createJob, updateJob } from './save.ts';
import type { Outcome } from './save.ts';

interface FormProps {
  head: ComponentChildren;
  /** The fields as they were before anything was typed. */
  base: JobForm;
  /** The job that is changed; none for a new one. */
  job?: Job;
  onDirty?: (isDirty: boolean) => void;
}

/** The page with the form. */
export function JobFormPage({ head, base, job, onDirty }: FormProps) {
  const [form, setForm] = useState(base);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<FieldError | null>(null);
  const element = useRef<HTMLFormElement>(null);
  const [toFocus, setToFocus] = useState<{ field: string } | null>(null);
  const [made, setMade] = useState<{ secret: string; leave: () => void } | null>(null);
  const isDirty = made === null && JSON.stringify(form) !== JSON.stringify(base);

  useEffect(() => {
    onDirty?.(isDirty);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the listener stays the same
  }, [isDirty]);
  useStay(isDirty || made !== null, made === null ? undefined : secretIsLost);
  // Its values were loaded again.
  const baseText = JSON.stringify(base);
  const shownBase = useRef(baseText);
  useEffect(() => {
    if (shownBase.current === baseText) return;
    const isReplaced = JSON.stringify(form) !== shownBase.current;
    shownBase.current = baseText;
    setForm(base);
    setProblem(null);
    if (isReplaced) setToFocus({ field: 'name' });
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the text has all of it
  }, [baseText]);
  useEffect(() => {
    if (toFocus === null) return;
    const found = element.current?.querySelector<HTMLElement>(`[name="${toFocus.field}"]`);
    (found ?? element.current?.querySelector<HTMLElement>('.summary'))?.focus();
  }, [toFocus]);

  const edit = (changed: Partial<JobForm>): void => {
    setForm((before) => ({ ...before, ...changed }));
    if (problem?.field && concerns(changed, problem.field)) setProblem(null);
  };
  const refuse = (refused: FieldError): void => {
    setProblem(refused);
    setToFocus({ field: refused.field ?? 'summary' });
  };
  const save = async (how: () => Promise<Outcome>): Promise<void> => {
    if (isBusy) return;
    const wrong = headerProblem(form.headers, job?.headerNames);
    if (wrong !== null) return refuse(fieldError(wrong, jobLabels));
    setBusy(true);
    setProblem(null);
    const outcome = await how();
    setBusy(false);
    if (!outcome.ok) refuse(refusalOf(outcome, job === undefined, emptyIn(form)));
    else if (outcome.secret === undefined) outcome.leave();
    else setMade({ secret: outcome.secret, leave: outcome.leave });
  };
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    void save(() =>
      job === undefined ? createJob(inputOf(form)) : updateJob(job.id, changesOf(form, base)),
    );
  };
  const latest = useRef(form);
  latest.current = form;
  const take = (draft: PastedDraft): void => {
    const next = withDraft(latest.current, draft);
    setForm(next);
    setProblem(null);
    // Somebody may have gone on to type below while it was read.
    if (element.current?.contains(document.activeElement) !== true) {
      setToFocus({ field: emptyIn(next)[0] ?? 'name' });
    }
  };
  const errorOf = (field: string): string | null =>
    problem?.field === field ? problem.error : null;
  const { schedule } = form;
  const isScheduleKept = job?.paused === false && sameTyped(schedule, base.schedule);

  return (
    <div class="stack editor">
      <div class="titles">{head}</div>
      {job === undefined && <Paste onRead={take} />}
      <form ref={element} noValidate onSubmit={submit}>
        {problem !== null && problem.field === null && (
          <div class="summary" tabIndex={-1}>
            <Problem text={problem.error} />
          </div>
        )}
        <RequestFields form={form} errorOf={errorOf} onChange={edit} />
        <ScheduleFieldset
          legend="When"
          value={schedule}
          error={problem}
          isPaused={job?.paused ?? false}
          jobId={isScheduleKept && isFilledIn(schedule) ? job.id : null}
          onChange={(changed) => edit({ schedule: { ...schedule, ...changed } })}
        />
        <AfterFields form={form} jobId={job?.id} error={errorOf('after')} onChange={edit} />
        <SentFields form={form} kept={job?.headerNames ?? []} errorOf={errorOf} onChange={edit} />
        <CallerFields form={form} errorOf={errorOf} onChange={edit} />
        <ResultFields form={form} kept={job?.onResult ?? ''} errorOf={errorOf} onChange={edit} />
        <MoreFields form={form} errorOf={errorOf} onChange={edit} />
        <p class="actions">
          <button type="submit" class="main" aria-disabled={isBusy}>
            {isBusy ? 'Saving…' : 'Save'}
          </button>
          {job === undefined && (
            <button
              type="button"
              aria-disabled={isBusy}
              onClick={() => void save(() => createAndRun(inputOf(form)))}
            >
              Save paused and run once
            </button>
          )}
          <Link to={job === undefined ? '/' : `/jobs/${job.id}`} class="button plain">
            Cancel
          </Link>
        </p>
      </form>
      {made !== null && (
        <MadeSecret secret={made.secret} onKept={made.leave}>
          The receiver checks with it that results come from this jobd.
        </MadeSecret>
      )}
    </div>
  );
}

/** Whether a change is about the field that is wrong. */
function concerns(changed: Partial<JobForm>, field: string): boolean {
  return field in changed || ('schedule' in changed && field in scheduleLabels);
}

function refusalOf(
  { status, error }: Failure,
  isNew: boolean,
  empty: readonly string[],
): FieldError {
  if (status === 401) {
    return { field: null, error: 'Not saved yet: your session had ended. Save again.' };
  }
  if (status === 0 && isNew) {
    return {
      field: null,
      error: `${error} Look at the list of jobs before you save again: the job may have been created.`,
    };
  }
  return fieldError(error, jobLabels, empty);
}
