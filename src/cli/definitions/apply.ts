/** Applies a plan: first what files define, and only if all of that succeeds, the deletion of what they no longer define. */

import type { DefinitionResult } from '../../api/jobs/contract.ts';
import { JobdError } from '../../domain/errors.ts';
import type { JobChange } from '../../domain/jobs/managed-job.ts';
import { codeOf } from '../client/client.ts';
import type { Ask } from '../client/client.ts';
import type { Context } from '../context.ts';
import { confirm } from '../terminal/prompt.ts';
import { printJson, printRows } from '../terminal/output.ts';
import { counted, plain } from '../terminal/text.ts';
import { placeText } from './parse-file.ts';
import { countsOf } from './plan.ts';
import type { Plan } from './plan.ts';
import { createProgress } from './progress.ts';
import { inputOf, sendDefinitions } from './server.ts';
import type { DefinitionInput } from './server.ts';

/** Applies a plan and reports what was done. Throws the error that stopped it, and what `confirm` throws. */
export async function applyAndReport(
  context: Context,
  ask: Ask,
  plan: Plan,
  flags: { prune?: boolean; yes?: true; json?: true },
): Promise<void> {
  const { output } = context;
  if (!plan.mayWrite) {
    throw new JobdError('forbidden', 'this key may only read, a key with write is needed');
  }
  if (reportRefusals(context, plan)) return output.say('nothing was changed');
  const pruned = flags.prune === true ? plan.unlisted.map(({ key }) => key) : [];
  if (pruned.length > 0) {
    const jobs = counted(pruned.length, 'job');
    await confirm(`Delete ${jobs} with all their runs: ${shortened(pruned)}?`, flags.yes === true);
  }
  const changed = plan.changes
    .filter(({ result: { change, isAdopted } }) => change !== 'none' || isAdopted)
    .map(({ definition }) => inputOf(definition));
  const deleted = pruned.map((key): DefinitionInput => ({ key, job: null }));
  report(context, plan, await carryOut(context, ask, changed, deleted), flags);
}

interface Carried {
  /** In the order in which they were sent. */
  results: DefinitionResult[];
  /** The keys that were not sent, or not answered. Applying again continues with them. */
  left: string[];
  /** The error that stopped it; null if it reached the end. */
  failure: unknown;
}

/** Never rejects. */
async function carryOut(
  { output }: Context,
  ask: Ask,
  changed: readonly DefinitionInput[],
  deleted: readonly DefinitionInput[],
): Promise<Carried> {
  const all = [...changed, ...deleted];
  const progress = createProgress(output, 'applying');
  const results: DefinitionResult[] = [];
  let failure: unknown = null;
  try {
    for (const batch of [changed, deleted]) {
      if (results.some(({ refusal }) => refusal !== null)) break;
      const before = results.length;
      const sent = (count: number): void => progress.at(before + count, all.length);
      for await (const result of sendDefinitions(ask, batch, { dryRun: false, sent })) {
        results.push(result);
      }
    }
  } catch (error) {
    failure = error;
  } finally {
    progress.end();
  }
  return { results, left: all.slice(results.length).map(({ key }) => key), failure };
}

/** Reports each definition that the server refuses, and whether there is one. The first decides the exit code. */
export function reportRefusals(
  context: Context,
  { changes }: Plan,
  results: readonly DefinitionResult[] = changes.map(({ result }) => result),
): boolean {
  const refused = results.filter(({ refusal }) => refusal !== null);
  for (const { key, refusal } of refused) {
    const place = changes.find(({ definition }) => definition.key === key)?.definition.place;
    const where = place ? `${placeText(place)}: ` : '';
    context.output.say(plain(`jobd: ${where}${key}: ${refusal?.error}`));
  }
  const status = refused[0]?.refusal?.status;
  if (status === undefined) return false;
  context.exitCode = new JobdError(codeOf(status), '').exitCode;
  return true;
}

const changeWords = { create: 'created', update: 'updated', delete: 'deleted', none: 'unchanged' };

/** Reports what was done and what was not. Throws the error that stopped it. */
function report(
  context: Context,
  plan: Plan,
  { results, left, failure }: Carried,
  { json }: { json?: true },
): void {
  const { output } = context;
  const done = results.filter(({ refusal }) => refusal === null);
  if (json) {
    const shown = results.map(({ key, change, changedFields, isAdopted, job, refusal }) => {
      return { key, id: job?.id ?? null, change, changedFields, isAdopted, refusal };
    });
    printJson(output, { results: shown, left });
  } else if (done.length > 0) {
    printRows(output, done, {
      change: ({ change, isAdopted }) =>
        isAdopted && change === 'none' ? 'adopted' : changeWords[change ?? 'none'],
      key: ({ key }) => key,
      fields: ({ changedFields }) => changedFields.join(' ') || null,
    });
  }
  reportRefusals(context, plan, results);
  const { none } = countsOf(plan, false);
  const count = (wanted: JobChange): number =>
    done.filter(({ change }) => change === wanted).length;
  const adopted = done.filter(({ isAdopted }) => isAdopted).length;
  output.say(
    `${count('create')} created, ${count('update')} updated, ${count('delete')} deleted` +
      `${adopted > 0 ? `, ${adopted} adopted` : ''}; ${none} the same`,
  );
  if (left.length > 0) {
    output.say(`not done: ${shortened(left)}; what was done stays, apply again to continue`);
  }
  if (failure !== null) throw failure;
}

function shortened(keys: readonly string[]): string {
  const more = keys.length > 10 ? ` and ${keys.length - 10} more` : '';
  return keys.slice(0, 10).join(', ') + more;
}
