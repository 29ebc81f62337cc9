/** The editor of a job, as a list of what it asks for. */

import type { Job } from '../../../api/jobs/contract.ts';
import { characterCount } from '../../../domain/characters.ts';
import { jobFields, maxBodyLength, methods } from '../../../domain/jobs/fields.ts';
import { leavesOrigin } from '../../../domain/jobs/job.ts';
import { requestRun } from '../../client/actions.ts';
import { now } from '../../client/clock.ts';
import type { EditorOf, Leaving } from '../../parts/forms/editor.tsx';
import type { FormParts, Section } from '../../parts/forms/items.tsx';
import { ScheduleItem } from '../../parts/forms/schedule-fields.tsx';
import { figures } from '../../view/figures.ts';
import { range } from '../../view/forms.ts';
import {
  adjustmentsIn,
  emptyIn,
  formOf,
  hasBody,
  headerProblem,
  inputOf,
  keepLineEnds,
  readingOf,
  signChoices,
  urlProblem,
  wantsAudience,
  withDraft,
} from '../../view/job-form.ts';
import type { JobForm } from '../../view/job-form.ts';
import { browserZone, timeIn } from '../../view/times.ts';
import { AfterFields } from './after.tsx';
import { Headers } from './headers.tsx';
import { Paste } from './paste.tsx';
import { Managed } from './managed.tsx';

const { timeoutSeconds, retries, awaitSeconds } = jobFields;

const momentHint = 'Such as 2026-12-01 09:00 in the time zone of the schedule.';

const sections: readonly Section<JobForm, Job>[] = [
  {
    legend: 'What is called',
    items: [
      { as: 'line', name: 'name' },
      {
        as: 'target',
        items: [
          { as: 'choice', name: 'method', options: methods.map((method) => [method, method]) },
          {
            as: 'url',
            name: 'url',
            placeholder: 'https://example.com/path',
            hint: ({ url }) => urlProblem(url),
          },
        ],
      },
    ],
  },
  {
    legend: 'When',
    items: [
      {
        as: 'own',
        draw: (parts) => (
          <ScheduleItem
            {...parts}
            isPaused={parts.thing?.paused === true}
            keepsPeriod
            adjustments={adjustmentsOf(parts)}
          />
        ),
      },
      {
        as: 'length',
        name: 'spreadSeconds',
        isOptional: true,
        hint: 'Up to an hour. Each job is then always later by the same time: jobs with one schedule do not all call at once.',
      },
      {
        as: 'pair',
        items: [
          { as: 'line', name: 'notBefore', isOptional: true, hint: momentHint },
          { as: 'line', name: 'notAfter', isOptional: true, hint: momentHint },
        ],
      },
      {
        as: 'line',
        name: 'runAt',
        isOptional: true,
        hint: `To call it once, then, instead of on the schedule. ${momentHint}`,
      },
      {
        as: 'length',
        name: 'deleteAfterSeconds',
        isOptional: true,
        isShown: ({ runAt, notAfter }) => runAt !== '' || notAfter !== '',
        hint: 'How long after it is due no more it is deleted, with its history. Empty: it is kept.',
      },
    ],
  },
  {
    legend: 'Or after another job',
    items: [{ as: 'own', draw: (parts) => <AfterFields {...parts} /> }],
  },
  {
    legend: 'What is sent',
    items: [
      { as: 'own', draw: (parts) => <Headers {...parts} /> },
      {
        as: 'code',
        name: 'body',
        rows: 6,
        typed: keepLineEnds,
        isShown: ({ method, body }) => hasBody(method) || body !== '',
        hint: (form) => <BodyHint form={form} />,
      },
    ],
  },
  {
    legend: 'Who calls',
    items: [
      {
        as: 'pair',
        items: [
          {
            as: 'choice',
            name: 'sign',
            options: signChoices,
            hint: 'So that the target can tell your calls from others.',
          },
          {
            as: 'line',
            name: 'audience',
            isShown: wantsAudience,
            hint: 'Who the token is for, such as https://api.example.com.',
          },
        ],
      },
    ],
  },
  {
    legend: 'Results',
    items: [
      {
        as: 'url',
        name: 'onResult',
        placeholder: 'https://example.com/results',
        hint: 'A URL that gets each finished run as a signed POST. Empty: none are sent.',
      },
      {
        as: 'secret',
        name: 'onResultSecret',
        isOptional: true,
        isShown: ({ onResult }) => onResult !== '',
        hint: secretHint,
      },
    ],
  },
  {
    legend: 'Limits and notes',
    items: [
      {
        as: 'pair',
        items: [
          {
            as: 'number',
            name: 'timeoutSeconds',
            hint: `In seconds, for each attempt: ${range(timeoutSeconds.rule)}.`,
          },
          {
            as: 'number',
            name: 'retries',
            hint: `Up to ${retries.rule.maximum}, after a connection error, HTTP 429 or 5xx.`,
          },
        ],
      },
      {
        as: 'number',
        name: 'awaitSeconds',
        hint: `In seconds, up to ${awaitSeconds.rule.maximum}. The target then answers 202, works on, and reports to the URL in X-Service-Completion-Url how that ended. Empty: an answer of 202 is a success.`,
      },
      {
        as: 'length',
        name: 'makeUpSeconds',
        isOptional: true,
        hint: 'If due times were missed, one run makes up for them, up to that long after the last of them. Empty: none does.',
      },
      { as: 'line', name: 'labels', isOptional: true, hint: 'Such as client=acme, env=prod.' },
      { as: 'prose', name: 'notes', rows: 3 },
    ],
  },
];

/** The editor. */
export const jobEditor: EditorOf<Job, JobForm> = {
  kind: 'job',
  sections,
  formOf: (job) => formOf(job, browserZone()),
  inputOf,
  emptyIn,
  readingOf,
  problemOf: ({ headers }, job) => headerProblem(headers, job?.headerNames),
  secret: {
    name: 'onResultSecret',
    use: 'The receiver checks with it that results come from this jobd.',
  },
  remark: nextDue,
  otherwise: { word: 'Save paused and run once', fields: { paused: true }, proceed: runOnce },
  note: ({ id }) => <Managed id={id} />,
  above: ({ fill }) => <Paste onRead={(draft) => fill((form) => withDraft(form, draft))} />,
};

/** What the preview takes besides the schedule: a spread depends on the job. */
function adjustmentsOf({ form, thing }: Pick<FormParts<JobForm, Job>, 'form' | 'thing'>) {
  const of = thing === null ? {} : { jobId: thing.id };
  const kept = thing && { ...adjustmentsIn(formOf(thing, '')), ...of };
  return { typed: { ...adjustmentsIn(form), ...of }, kept };
}

/** Calls a job that was created paused. */
async function runOnce({ id, name }: Job): Promise<Leaving> {
  const to = `/jobs/${id}`;
  const text = `${name} is created and paused. Resume it when it works as it should.`;
  const run = await requestRun(id);
  if (!run.ok) {
    return { to, toasts: [{ text }, { text: `It was not run: ${run.error}`, isProblem: true }] };
  }
  const toasts = [{ text, link: { to, text: 'Show the job' } }];
  return { to: `${to}/runs/${run.body.run.id}`, toasts };
}

function nextDue({ nextRunAt, timezone, paused, after }: Job): string {
  if (after !== undefined && !paused) return 'It runs after another job.';
  if (nextRunAt === null) return paused ? 'It is paused.' : 'It is not due again.';
  return `Next due ${timeIn(nextRunAt, now.peek(), timezone)} (${timezone}).`;
}

function secretHint({ onResult }: JobForm, job: Job | null): string {
  const isKept =
    job?.onResult !== undefined && !leavesOrigin({ url: job.onResult }, { url: onResult });
  return isKept
    ? 'Empty: the one there is stays.'
    : 'Empty: jobd makes one, and shows it once after you save.';
}

function BodyHint({ form: { body, headers, method } }: { form: JobForm }) {
  const length = characterCount(body);
  const hasType = headers?.some(({ name }) => name.toLowerCase() === 'content-type') ?? true;
  return (
    <>
      <span class={length > maxBodyLength ? 'over figure' : 'figure'}>
        {figures(length)} / {figures(maxBodyLength)} characters
      </span>
      {!hasBody(method) && `. ${method} sends no body: choose another method, or empty it.`}
      {hasBody(method) &&
        !hasType &&
        '. Sent as text/plain unless a Content-Type header says otherwise.'}
    </>
  );
}
