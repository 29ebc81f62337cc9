/**
 * Commits that fail now and then, although SQLite may have stored them. No due time is called twice,
 * none without a claim, and every run ends.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notPackaged } from '../support/running/executable.ts';
import { cannotTrace, injectFault } from '../support/running/strace.ts';
import { until } from '../support/until.ts';
import { prepareService } from './faults/service.ts';

/** Faults as strace(1) says them: which of the calls fail, counted from when the fault is put. */
const faults = [
  { what: 'the first sync fails', fault: 'fsync,fdatasync:error=EIO:when=1' },
  { what: 'every third sync fails', fault: 'fsync,fdatasync:error=EIO:when=2+3' },
  { what: 'a write fails now and then', fault: 'pwrite64:error=EIO:when=3+89' },
  { what: 'a write finds no space now and then', fault: 'pwrite64:error=ENOSPC:when=2+97' },
];

const jobCount = 120;
const spreadMs = 2_500;

for (const { what, fault } of faults) {
  test(
    `while ${what}, each due time is called once and recorded`,
    { skip: notPackaged || cannotTrace },
    async (t) => {
      const names = Array.from({ length: jobCount }, (_, index) => `job-${index}`);
      const due = names.map((name, index) => [name, (index / jobCount) * spreadMs]);
      const service = await prepareService(t, names);
      const daemon = await service.start();
      const put = await injectFault(t, daemon.pid, fault);
      await service.dueIn(Object.fromEntries(due));
      await until('every call', () => service.witness.arrivals.length >= jobCount);
      await until('every outcome', () => {
        const ended = service.books().runs.filter(({ status }) => status === 'success');
        return ended.length === jobCount;
      });
      await put.lift();
      assert.match(
        daemon.log(),
        /the database cannot be used, will try again/,
        'the fault was felt',
      );
      assert.equal(await daemon.stop(), 0, daemon.log());
      assert.equal(service.witness.arrivals.length, jobCount);
      assert.deepEqual(service.audit(), []);
    },
  );
}
