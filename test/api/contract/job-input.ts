/** Promises about the fields of a job (docs/behavior.md#jobs). */

import assert from 'node:assert/strict';
import type { Customer, Promised } from '../../support/records/customer.ts';
import { nowhere } from '../../support/records/customer.ts';

const section = 'jobs';

/** Asserts that each value creates a job that shows it. */
async function accepts({ createJob }: Customer, inputs: object[]): Promise<void> {
  for (const input of inputs) {
    const job = { ...(await createJob(input)) };
    for (const [field, value] of Object.entries(input)) {
      assert.deepEqual(job[field as keyof typeof job], value, `${field} is kept`);
    }
  }
}

/** Asserts that each value is refused by create and by update. */
async function refuses(customer: Customer, inputs: object[], status = 400): Promise<void> {
  const { createJob, readJob, refused } = customer;
  const before = await createJob();
  for (const input of inputs) {
    await refused(status, 'POST', '/jobs', { body: { name: 'a', url: nowhere, ...input } });
    await refused(status, 'PATCH', `/jobs/${before.id}`, { body: input });
  }
  assert.deepEqual(await readJob(before.id), before, 'a refused update changes nothing');
}

/** Asserts the default value of a field. */
async function defaults({ createJob }: Customer, fields: object): Promise<void> {
  const job = { ...(await createJob()) };
  for (const [field, value] of Object.entries(fields)) {
    assert.deepEqual(job[field as keyof typeof job], value, field);
  }
}

const post = { method: 'POST' };
const period = { scheduleType: 'period' };

/** What a field takes and refuses, at creation and in an update, and what it has where nothing is given. */
interface Row {
  accepts?: object[];
  refuses?: object[];
  defaults?: object;
  status?: number;
}

const rows: Readonly<Record<string, Row>> = {
  'a name has at most 120 characters': {
    accepts: [{ name: 'n' }, { name: 'é'.repeat(120) }],
    refuses: [{ name: 'n'.repeat(121) }, { name: 5 }],
  },
  'a URL is an absolute http or https one': {
    accepts: [{ url: 'https://example.com/a?b=c' }, { url: 'http://example.com' }],
    refuses: [{ url: '/a' }, { url: 'ftp://example.com/' }, { url: 'example.com' }],
  },
  'the method is one of six, by default GET': {
    accepts: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'].map((method) => ({ method })),
    refuses: [{ method: 'TRACE' }, { method: 'get' }, { method: 5 }],
    defaults: { method: 'GET' },
  },
  'headers are names with text values': {
    refuses: [{ headers: { 'X-A': 1 } }, { headers: ['X-A'] }, { headers: 'X' }],
  },
  'a body is text or null': {
    accepts: [
      { ...post, body: 'text' },
      { ...post, body: null },
    ],
    refuses: [
      { ...post, body: {} },
      { ...post, body: 5 },
    ],
  },
  'a body has at most 32768 characters': {
    accepts: [{ ...post, body: 'b'.repeat(32_768) }],
    refuses: [{ ...post, body: 'b'.repeat(32_769) }],
    status: 413,
  },
  'a schedule is cron or period': {
    accepts: [
      { scheduleType: 'cron', cronExpr: '5 4 * * *' },
      { ...period, periodSeconds: 300 },
    ],
    refuses: [{ scheduleType: 'rate' }, { scheduleType: 5 }],
  },
  'the default schedule is every hour in Europe/Paris': {
    defaults: { scheduleType: 'cron', cronExpr: '0 * * * *', timezone: 'Europe/Paris' },
  },
  'a cron expression must be one': {
    accepts: [{ cronExpr: '*/15 9-17 * * MON-FRI' }],
    refuses: [{ cronExpr: '* * *' }, { cronExpr: '61 * * * *' }, { cronExpr: 5 }],
  },
  'a time zone is an IANA name': {
    accepts: [{ timezone: 'America/New_York' }, { timezone: 'UTC' }],
    refuses: [{ timezone: 'Mars/Base' }, { timezone: '+02:00' }],
  },
  'a period is a whole number of 60 to 31536000 seconds': {
    accepts: [
      { ...period, periodSeconds: 60 },
      { ...period, periodSeconds: 31_536_000 },
    ],
    refuses: [
      { ...period, periodSeconds: 59 },
      { ...period, periodSeconds: 31_536_001 },
      { ...period, periodSeconds: 60.5 },
      { ...period, periodSeconds: '60' },
      period,
    ],
  },
  'a timeout is a whole number of 1 to 60 seconds': {
    accepts: [{ timeoutSeconds: 1 }, { timeoutSeconds: 60 }],
    refuses: [0, 61, 1.5, '5'].map((timeoutSeconds) => ({ timeoutSeconds })),
  },
  'retries are 0 to 2, by default 0': {
    defaults: { retries: 0 },
    accepts: [{ retries: 0 }, { retries: 2 }],
    refuses: [{ retries: -1 }, { retries: 3 }, { retries: '1' }],
  },
  'awaitSeconds is 1 to 86400 or null, and is shown only where it is set': {
    defaults: { awaitSeconds: undefined },
    accepts: [{ awaitSeconds: 1 }, { awaitSeconds: 86_400 }],
    refuses: [0, 86_401, '60', 1.5].map((awaitSeconds) => ({ awaitSeconds })),
  },
  'notes have at most 4000 characters': {
    accepts: [{ notes: '' }, { notes: 'n'.repeat(4_000) }],
    refuses: [{ notes: 'n'.repeat(4_001) }, { notes: 5 }],
  },
};

export const jobInputPromises: readonly Promised[] = [
  {
    section,
    promise: 'a job needs a name and a URL',
    async check({ refused }) {
      for (const body of [undefined, { url: nowhere }, { name: 'a' }]) {
        await refused(400, 'POST', '/jobs', body && { body });
      }
    },
  },
  ...Object.entries(rows).map(([promise, row]) => ({
    section,
    promise,
    async check(customer: Customer) {
      await accepts(customer, row.accepts ?? []);
      await refuses(customer, row.refuses ?? [], row.status);
      await defaults(customer, row.defaults ?? {});
    },
  })),
  {
    section,
    promise: 'headers are shown by name, and null takes a field away or gives it its default',
    async check({ createJob }) {
      const job = await createJob({
        headers: { 'X-A': '1', 'X-B': '2' },
        awaitSeconds: null,
        cronExpr: null,
      });
      assert.deepEqual(job.headerNames, ['X-A', 'X-B']);
      assert.deepEqual([job.awaitSeconds, job.cronExpr], [undefined, '0 * * * *']);
    },
  },
];
