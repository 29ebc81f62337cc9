/**
 * What statements cost: each uses its index, and reads nothing else. What SQLite says of each is kept in `plans.txt`;
 * `UPDATE_GOLDENS=1` rewrites that: review the diff. No list, count or look-up of one workspace reads rows of others: their number is
 * none of its business, in what it answers and in what it costs.
 */

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertGolden } from '../../support/checks/golden.ts';
import { openPlans } from '../../support/checks/query-plan.ts';
import { sqliteTest } from '../../support/running/sqlite.ts';
import { ofAccounts, ofJobs, ofMonitors, ofRuns, type Asked } from './asked.ts';
import { ofAlerts, ofBadges, ofLedger, ofLists, ofReport, ofTimetable } from './asked-of-lists.ts';

const asked: Asked = {
  ...ofAccounts,
  ...ofJobs,
  ...ofMonitors,
  ...ofRuns,
  ...ofAlerts,
  ...ofLists,
  ...ofLedger,
  ...ofTimetable,
  ...ofReport,
  ...ofBadges,
};

/** The functions of the store that look into a workspace. */
const intoWorkspaces = globSync('src/store/**/*.ts').flatMap((file) => {
  const functions = readFileSync(file, 'utf8').split(/^(?=export )/m);
  return functions.flatMap((text) => {
    const [, name, parameters = ''] =
      /^export async function ((?:list|find|count|has)\w+)\(([^]*?)\n?\): Promise/.exec(text) ?? [];
    return name !== undefined && /workspaceId\b/.test(parameters) ? [name] : [];
  });
});

/**
 * By due time, jobs have one index for all workspaces, which the claim needs; another one would cost each run more. Only a workspace
 * with many jobs walks along it, some rows at a time (src/app/overview/jobs.ts).
 */
const alongDueTimes =
  /^SEARCH jobs USING INDEX jobs_by_due_time \(next_run_at>\?( AND next_run_at<\?)?\)$/;
/** One of a workspace, or of what was found in it. */
const isOwn =
  /^SEARCH \w+ (AS \w+ )?USING ((COVERING )?INDEX \w+|INTEGER PRIMARY KEY) \((\w*_id|id|rowid)[=]\?/;
/** No table: rows that were just found, or a list that was passed. */
const isMade =
  /^(SCAN (json_each|step|newest|chain|trouble|found|known|due|unsigned|open|listed|added|changed|beginning|removed|\(subquery|\w+ VIRTUAL TABLE)|(CORRELATED )?(SCALAR|LIST) SUBQUERY|CO-ROUTINE|MATERIALIZE|CREATE BLOOM FILTER|USE TEMP B-TREE|MULTI-INDEX OR|INDEX \d|COMPOUND QUERY|LEFT|RIGHT|UNION|MERGE)/;
/** Of one row, or an index that has few rows, however many the table has. */
const isSmall =
  /^SCAN (instance|\w+ USING (COVERING )?INDEX (runs_queued|runs_unsigned|jobs_active|workspaces_kept|channels_with_ended))$/;
/** These sort what is little. */
const sorting = new Set([
  'countStates',
  'countInFlight',
  'findChainBefore',
  'findKnownDown',
  'findMissedJobs',
  'findRunStop',
  'findStop',
  'findSurplusSessions',
  'listDeliveriesAbout',
  'listDeliveriesOfWorkspace',
  'listJobsOn',
  'listRunsOfWorkspace',
  'replaceUntried',
]);
/** Statements of each run, which SQLite runs most often. */
const ofEachRun = [
  'insertScheduledRuns',
  'startQueuedRuns',
  'updateClaimedJobs',
  'keepAttempts',
  'recordEndedRuns',
  'keepReceipts',
];

test('every function of the store that looks into a workspace is known here', () => {
  assert.ok(intoWorkspaces.length > 30);
  const unknown = intoWorkspaces.filter((name) => !(name in asked));
  assert.deepEqual(unknown, []);
});

sqliteTest('every statement uses its index, and reads nothing of other workspaces', async (t) => {
  const { planOf, texts } = await openPlans(t);
  const lines: string[] = [];
  const wrong: string[] = [];
  for (const [name, ways] of Object.entries(asked)) {
    for (const [index, ask] of ways.entries()) {
      const steps = await planOf(ask);
      if (steps.length === 0) wrong.push(`${name} asks nothing`);
      lines.push(ways.length === 1 ? name : `${name} ${index + 1}`);
      for (const step of steps) {
        if (!isMade.test(step)) lines.push(`  ${step}`);
        const isLittle = isMade.test(step) || isSmall.test(step);
        const isOfItsOwn = isLittle || isOwn.test(step) || alongDueTimes.test(step);
        const isFine =
          (isLittle || !step.startsWith('SCAN')) &&
          (sorting.has(name) || !step.startsWith('USE TEMP B-TREE')) &&
          (isOfItsOwn || !intoWorkspaces.includes(name));
        if (!isFine) wrong.push(`${name}: ${step}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
  assertGolden(join(import.meta.dirname, 'plans.txt'), `${lines.join('\n')}\n`);
  // It plans a statement again for values that it looked at when it planned it: docs/decisions/0099-settings-that-were-measured.md.
  assert.deepEqual(
    Array.from(texts).filter((text) => /[^+]\?/.test(text)),
    [],
  );
});

sqliteTest('no statement of a run builds a table in memory or keeps a journal', async (t) => {
  const { instructionsOf } = await openPlans(t);
  for (const name of ofEachRun) {
    for (const ask of asked[name] ?? []) {
      const instructions = await instructionsOf(ask);
      assert.ok(instructions.length > 0, name);
      assert.ok(!instructions.includes('OpenEphemeral'), name);
      // What inserts the rows of a select may fail in the middle: SQLite keeps a journal of each such statement. Retries are few.
      const mayKeep = name === 'keepAttempts';
      assert.ok(mayKeep || !instructions.includes('InitCoroutine'), name);
    }
  }
});
