/** The editor of a job, as a list of what it asks for. */

import type { Job } from '../../../api/jobs/contract.ts';
import { characterCount } from '../../../domain/characters.ts';
import { jobFields, maxBodyLength } from '../../../domain/jobs/fields.ts';
import { leavesOrigin } from '../../../domain/jobs/job.ts';
import { requestRun } from '../../client/actions.ts';
import { now } from '../../client/clock.ts';
import type { EditorOf, Leaving } from '../../parts/forms/editor.tsx';
import type { AboutFields, FormParts, Section } from '../../parts/forms/items.tsx';
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
  ofOnce,
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

const { timeoutSeconds, retries } = jobFields;

const sections: readonly Section<JobForm, Job>[] = [
  { legend: 'What is called', items: ['name', ['method', 'url']] },
  {
    legend: 'When',
    items: [
      (parts) => (
        <ScheduleItem
          key="schedule"
          {...parts}
          isPaused={parts.thing?.paused === true}
          keepsPeriod
          ofOnce={ofOnce}
          adjustments={adjustmentsOf(parts)}
        />
      ),
    ],
  },
  {
    legend: 'Spread, bounds, make-up, deletion',
    isFolded: true,
    items: ['spreadSeconds', ['notBefore', 'notAfter'], 'makeUpSeconds', 'deleteAfterSeconds'],
  },
  {
    legend: 'After another job, instead of on a schedule',
    isFolded: true,
    items: [(parts) => <AfterFields key="after" {...parts} />],
    draws: ['after'],
  },
  {
    legend: 'Headers and body',
    isFolded: true,
    items: [(parts) => <Headers key="headers" {...parts} />, 'body'],
    draws: ['headers', 'method'],
  },
  { legend: 'Proof of the caller', isFolded: true, items: [['sign', 'audience']] },
  { legend: 'Results', isFolded: true, items: ['onResult', 'onResultSecret'] },
  {
    legend: 'Limits, labels and notes',
    isFolded: true,
    items: [['timeoutSeconds', 'retries'], 'reportWithinSeconds', 'labels', 'notes'],
  },
];

const inZone = 'In the time zone of the schedule. Empty: none.';

const about: AboutFields<JobForm, Job> = {
  url: { placeholder: 'https://example.com/path', hint: ({ url }) => urlProblem(url) },
  spreadSeconds: {
    hint: 'Up to an hour. Each job is then always later by the same time: jobs with one schedule do not all call at once.',
  },
  notBefore: { hint: inZone },
  notAfter: { hint: inZone },
  makeUpSeconds: {
    hint: 'If due times were missed, one run makes up for them, up to that long after the last of them. Empty: none does.',
  },
  deleteAfterSeconds: {
    isShown: ({ schedule, notAfter }) => schedule.isOnce || notAfter !== '',
    hint: 'How long after it is due no more it is deleted, with its history. Empty: it is kept.',
  },
  body: {
    typed: keepLineEnds,
    isShown: ({ method, body }) => hasBody(method) || body !== '',
    hint: (form) => <BodyHint form={form} />,
  },
  sign: { options: signChoices, hint: 'So that the target can tell your calls from others.' },
  audience: {
    isShown: wantsAudience,
    hint: 'Who the token is for, such as https://api.example.com.',
  },
  onResult: {
    placeholder: 'https://example.com/results',
    hint: 'A URL that gets each finished run as a signed POST. Empty: none are sent.',
  },
  onResultSecret: { isShown: ({ onResult }) => onResult !== '', hint: secretHint },
  timeoutSeconds: { hint: `In seconds, for each attempt: ${range(timeoutSeconds.rule)}.` },
  retries: { hint: `Up to ${retries.rule.maximum}, after a connection error, HTTP 429 or 5xx.` },
  labels: { form: 'text', hint: 'Such as client=acme, env=prod.' },
  reportWithinSeconds: {
    hint: 'Up to a day. The target then answers 202, works on, and reports to the URL in X-Service-Report-Url how that ended. Empty: an answer of 202 is a success.',
  },
};

export const jobEditor: EditorOf<Job, JobForm> = {
  kind: 'job',
  sections,
  about,
  formOf: (job) => formOf(job, browserZone()),
  inputOf,
  emptyIn,
  readingOf,
  tied: { timezone: ['runAt', 'notBefore', 'notAfter'] },
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
