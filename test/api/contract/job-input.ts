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

export const jobInputPromises: readonly Promised[] = [
  {
    section,
    promise: 'a job needs a name',
    check: ({ refused }) => refused(400, 'POST', '/jobs', { body: { url: nowhere } }),
  },
  {
    section,
    promise: 'a job needs a URL',
    check: ({ refused }) => refused(400, 'POST', '/jobs', { body: { name: 'a' } }),
  },
  {
    section,
    promise: 'a creation needs a body',
    check: ({ refused }) => refused(400, 'POST', '/jobs'),
  },
  {
    section,
    promise: 'a name has at most 120 characters',
    async check(customer) {
      await accepts(customer, [{ name: 'n' }, { name: 'é'.repeat(120) }]);
      await refuses(customer, [{ name: 'n'.repeat(121) }, { name: 5 }]);
    },
  },
  {
    section,
    promise: 'a URL is an absolute http or https one',
    async check(customer) {
      await accepts(customer, [
        { url: 'https://example.com/a?b=c' },
        { url: 'http://example.com' },
      ]);
      await refuses(customer, [
        { url: '/a' },
        { url: 'ftp://example.com/' },
        { url: 'example.com' },
      ]);
    },
  },
  {
    section,
    promise: 'the method is one of six',
    async check(customer) {
      const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'];
      await accepts(
        customer,
        methods.map((method) => ({ method })),
      );
      await refuses(customer, [{ method: 'TRACE' }, { method: 'get' }, { method: 5 }]);
    },
  },
  {
    section,
    promise: 'the default method is GET',
    check: (customer) => defaults(customer, { method: 'GET' }),
  },
  {
    section,
    promise: 'headers are names with text values',
    async check(customer) {
      const job = await customer.createJob({ headers: { 'X-A': '1', 'X-B': '2' } });
      assert.deepEqual(job.headerNames, ['X-A', 'X-B']);
      await refuses(customer, [{ headers: { 'X-A': 1 } }, { headers: ['X-A'] }, { headers: 'X' }]);
    },
  },
  {
    section,
    promise: 'a body is text or null',
    async check(customer) {
      await accepts(customer, [
        { ...post, body: 'text' },
        { ...post, body: null },
      ]);
      await refuses(customer, [
        { ...post, body: {} },
        { ...post, body: 5 },
      ]);
    },
  },
  {
    section,
    promise: 'a body has at most 32768 characters',
    async check(customer) {
      await accepts(customer, [{ ...post, body: 'b'.repeat(32_768) }]);
      await refuses(customer, [{ ...post, body: 'b'.repeat(32_769) }], 413);
    },
  },
  {
    section,
    promise: 'a schedule is cron or period',
    async check(customer) {
      await accepts(customer, [
        { scheduleType: 'cron', cronExpr: '5 4 * * *' },
        { scheduleType: 'period', periodSeconds: 300 },
      ]);
      await refuses(customer, [{ scheduleType: 'rate' }, { scheduleType: 5 }]);
    },
  },
  {
    section,
    promise: 'the default schedule is every hour in Europe/Paris',
    check: (customer) =>
      defaults(customer, {
        scheduleType: 'cron',
        cronExpr: '0 * * * *',
        timezone: 'Europe/Paris',
      }),
  },
  {
    section,
    promise: 'a cron expression is text or null, and must be one',
    async check(customer) {
      await accepts(customer, [{ cronExpr: '*/15 9-17 * * MON-FRI' }]);
      assert.equal((await customer.createJob({ cronExpr: null })).cronExpr, '0 * * * *');
      await refuses(customer, [{ cronExpr: '* * *' }, { cronExpr: '61 * * * *' }, { cronExpr: 5 }]);
    },
  },
  {
    section,
    promise: 'a time zone is an IANA name',
    async check(customer) {
      await accepts(customer, [{ timezone: 'America/New_York' }, { timezone: 'UTC' }]);
      await refuses(customer, [{ timezone: 'Mars/Base' }, { timezone: '+02:00' }]);
    },
  },
  {
    section,
    promise: 'a period is a whole number of 60 to 31536000 seconds',
    async check(customer) {
      const scheduleType = 'period';
      const bounds = [60, 31_536_000].map((periodSeconds) => ({ scheduleType, periodSeconds }));
      await accepts(customer, bounds);
      const bad = [59, 31_536_001, 60.5, '60'].map((periodSeconds) => ({
        scheduleType,
        periodSeconds,
      }));
      await refuses(customer, [...bad, { scheduleType }]);
    },
  },
  {
    section,
    promise: 'a timeout is a whole number of 1 to 60 seconds',
    async check(customer) {
      await accepts(customer, [{ timeoutSeconds: 1 }, { timeoutSeconds: 60 }]);
      await refuses(
        customer,
        [0, 61, 1.5, '5'].map((timeoutSeconds) => ({ timeoutSeconds })),
      );
    },
  },
  {
    section,
    promise: 'retries are 0 to 2, by default 0',
    async check(customer) {
      await defaults(customer, { retries: 0 });
      await accepts(customer, [{ retries: 0 }, { retries: 2 }]);
      await refuses(customer, [{ retries: -1 }, { retries: 3 }, { retries: '1' }]);
    },
  },
  {
    section,
    promise: 'awaitSeconds is 1 to 86400 or null, and is shown only where it is set',
    async check(customer) {
      await defaults(customer, { awaitSeconds: undefined });
      await accepts(customer, [{ awaitSeconds: 1 }, { awaitSeconds: 86_400 }]);
      await refuses(customer, [
        { awaitSeconds: 0 },
        { awaitSeconds: 86_401 },
        { awaitSeconds: '60' },
        { awaitSeconds: 1.5 },
      ]);
      const { awaitSeconds } = await customer.createJob({ awaitSeconds: null });
      assert.equal(awaitSeconds, undefined);
    },
  },
  {
    section,
    promise: 'notes have at most 4000 characters',
    async check(customer) {
      await accepts(customer, [{ notes: '' }, { notes: 'n'.repeat(4_000) }]);
      await refuses(customer, [{ notes: 'n'.repeat(4_001) }, { notes: 5 }]);
    },
  },
];
