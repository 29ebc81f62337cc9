/** A plan for people: unified diffs of definitions, and the number of changes. It contains no secret. */

import { OMIT_HEADERS, formatPatch, structuredPatch } from 'diff';
import type * as contract from '../../api/jobs/contract.ts';
import { definedJob } from '../../domain/jobs/managed-job.ts';
import type { Definition } from './definition.ts';
import { placeText } from './parse-file.ts';
import type { Plan, PlanCounts, PlannedChange } from './plan.ts';
import { fieldsOf, literalOf, yamlOf } from './write-definitions.ts';

const unchangedSecret = '(secret)';
const changedSecret = '(changed)';
const nothing = '/dev/null';

/** Beyond this many edits the texts are shown whole, not compared line by line. */
const mostEdits = 5_000;

/** The diffs of a plan, a line each, without line ends. */
export function diffLines(plan: Plan, prune: boolean): string[] {
  const { changes, unlisted, defaultTimeoutSeconds } = plan;
  const changed = changes.filter(
    ({ result: { change } }) => change === 'create' || change === 'update',
  );
  return [
    ...changed.flatMap((change) => linesOfChange(change, defaultTimeoutSeconds)),
    ...(prune
      ? unlisted.flatMap(({ key, job }) => {
          const before = beforeText(key, job, null, defaultTimeoutSeconds);
          return patch([`${key} (server)`, nothing], [before, '']);
        })
      : []),
  ];
}

/** `2 to create, 1 to update, 1 to delete; 37 the same`. */
export function summaryOf(counts: PlanCounts): string {
  const parts = [
    `${counts.create} to create`,
    `${counts.update} to update`,
    `${counts.delete} to delete`,
    counts.adopt > 0 && `${counts.adopt} to adopt as ${counts.adopt === 1 ? 'it is' : 'they are'}`,
    counts.refused > 0 && `${counts.refused} refused`,
  ].filter((part) => part !== false);
  return `${parts.join(', ')}; ${counts.none} the same`;
}

/** Remarks on a plan, in sentences. */
export function remarksOn(
  { mayWrite, changes }: Plan,
  counts: PlanCounts,
  prune: boolean,
): string[] {
  const { unlisted } = counts;
  const jobs = unlisted === 1 ? '1 managed job is' : `${unlisted} managed jobs are`;
  const them = unlisted === 1 ? 'it' : 'them';
  const haveHeaders = changes.some(({ definition }) => definition.job.headers !== undefined);
  return [
    !prune && unlisted > 0 && `${jobs} not in the files; --prune would delete ${them}`,
    !mayWrite && haveHeaders && 'the values of headers were not compared: this key may only read',
  ].filter((remark) => remark !== false);
}

/** The colours of a diff, for a terminal. */
export function coloured(line: string): string {
  const isName = line.startsWith('--- ') || line.startsWith('+++ ');
  const colour = isName ? 1 : { '@': 36, '+': 32, '-': 31 }[line.charAt(0)];
  return colour === undefined ? line : `\u001b[${colour}m${line}\u001b[0m`;
}

function linesOfChange(
  { definition, result }: PlannedChange,
  defaultTimeoutSeconds: number,
): string[] {
  const { key, place } = definition;
  const after = afterText(definition, result, defaultTimeoutSeconds);
  const before = result.job
    ? beforeText(key, result.job, definition, defaultTimeoutSeconds, result)
    : '';
  const from = result.job ? `${key} (server)` : nothing;
  return patch([from, `${key} (${placeText(place)})`], [before, after]);
}

/** A job as it is. Of a value that the definition fills in, only whether it differs is shown. */
function beforeText(
  key: string,
  job: contract.Job,
  definition: Definition | null,
  defaultTimeoutSeconds: number,
  { changedFields }: Pick<PlannedChange['result'], 'changedFields'> = { changedFields: [] },
): string {
  const shown = literalOf({
    ...job,
    headers: Object.fromEntries(job.headerNames.map((name) => [name, unchangedSecret])),
  });
  // Without a definition nobody knows whether a value was filled in.
  const { writtenUrl, isBodySecret } = definition ?? { isBodySecret: true };
  if (definition === null) shown.url = job.url.replace(/\?.*$/, `?${unchangedSecret}`);
  if (writtenUrl !== undefined) {
    shown.url = changedFields.includes('url') ? unchangedSecret : writtenUrl;
  }
  if (isBodySecret && shown.body !== null) shown.body = unchangedSecret;
  return yamlOf(fieldsOf(key, shown, { defaultTimeoutSeconds }));
}

function afterText(
  { key, job: input, writtenUrl, isBodySecret }: Definition,
  { change, changedFields, changedHeaders, job: before }: PlannedChange['result'],
  defaultTimeoutSeconds: number,
): string {
  const job = definedJob(input, defaultTimeoutSeconds);
  const isNew = change === 'create';
  const headers = Object.keys(job.headers).map((name) => [
    name,
    before?.headerNames.includes(name) && changedHeaders.includes(name)
      ? changedSecret
      : unchangedSecret,
  ]);
  const shown = literalOf({
    ...job,
    headers: Object.fromEntries(headers) as Record<string, string>,
  });
  if (writtenUrl !== undefined) shown.url = writtenUrl;
  if (isBodySecret) {
    shown.body = !isNew && changedFields.includes('body') ? changedSecret : unchangedSecret;
  }
  return yamlOf(fieldsOf(key, shown, { defaultTimeoutSeconds }));
}

function patch([from, to]: [string, string], [before, after]: [string, string]): string[] {
  const head = [`--- ${from}`, `+++ ${to}`];
  const options = { context: 3, maxEditLength: mostEdits };
  const found = structuredPatch(from, to, before, after, undefined, undefined, options);
  if (found === undefined) {
    const [old, fresh] = [before, after].map((text) => text.trimEnd().split('\n'));
    return [
      ...head,
      ...(old ?? []).map((line) => `-${line}`),
      ...(fresh ?? []).map((line) => `+${line}`),
    ];
  }
  // formatPatch would quote names that are not ASCII. No line of a hunk is empty.
  const lines = formatPatch(found, OMIT_HEADERS).split('\n');
  return [...head, ...lines.filter((line) => line !== '')];
}
