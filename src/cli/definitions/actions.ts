/** What `jobd export`, `jobd diff` and `jobd apply` do. It stands apart, so that other commands need not load it. */

import type { DefinitionResult } from '../../api/jobs/contract.ts';
import { clientConfig } from '../client/settings.ts';
import { environmentVariable } from '../../config.ts';
import { JobdError } from '../../domain/errors.ts';
import type { JobChange } from '../../domain/jobs/managed-job.ts';
import { codeOf, createAsker } from '../client/client.ts';
import type { Ask } from '../client/client.ts';
import { withinRateLimit } from '../client/retry.ts';
import { confirm } from '../terminal/prompt.ts';
import type { Context } from '../context.ts';
import { counted, plain, plainText } from '../terminal/text.ts';
import { printJson, printRows } from '../terminal/output.ts';
import type { Output } from '../terminal/output.ts';
import { carryOut } from './apply.ts';
import type { Carried } from './apply.ts';
import { coloured, diffLines, remarksOn, summaryOf } from './diff-text.ts';
import { exportJobs } from './export.ts';
import { loadDefinitions } from './load.ts';
import { placeText, problemText } from './place.ts';
import { countsOf, makePlan } from './plan.ts';
import type { Plan } from './plan.ts';
import { createProgress } from './progress.ts';
import { allJobs, askMe, managedJobs } from './server.ts';

export interface PlanFlags {
  file: string[];
  prune?: boolean;
  json?: true;
}

export interface ApplyFlags extends PlanFlags {
  dryRun?: true;
  yes?: true;
}

/** Writes all jobs as a file of definitions. */
export async function exportAll({ output }: Context, { json }: { json?: true }): Promise<void> {
  const ask = asker(output);
  const { defaultTimeoutSeconds } = await askMe(ask);
  const keys = new Map((await managedJobs(ask)).map(({ key, job }) => [job.id, key]));
  const jobs = await allJobs(ask);
  const { text, variables } = exportJobs(jobs, keys, defaultTimeoutSeconds);
  if (json) printJson(output, { jobs: jobs.length, variables, yaml: text });
  else output.data(text.trimEnd());
  const set =
    variables.length === 0 ? '' : `, with ${counted(variables.length, 'variable')} to set`;
  output.say(`exported ${counted(jobs.length, 'job')}${set}`);
}

/** Shows what applying would change; the exit code says whether something would. */
export async function diff(context: Context, flags: PlanFlags): Promise<void> {
  const plan = await planOf(context, asker(context.output), flags);
  if (plan === null) return;
  showPlan(context, plan, flags);
  const counts = countsOf(plan, flags.prune === true);
  const isSame = counts.create + counts.update + counts.delete === 0;
  if (context.exitCode === 0 && !isSame) context.exitCode = 1;
}

/** Applies files, or in a dry run shows what that would change. */
export async function apply(context: Context, flags: ApplyFlags): Promise<void> {
  const ask = asker(context.output);
  const plan = await planOf(context, ask, flags);
  if (plan === null) return;
  if (flags.dryRun) return showPlan(context, plan, flags);
  await applyAndReport(context, ask, plan, flags);
}

/** Carries a plan out and tells what was done. Throws what stopped it, and what `confirm` does. */
export async function applyAndReport(
  context: Context,
  ask: Ask,
  plan: Plan,
  flags: { prune?: boolean; yes?: true; json?: true },
): Promise<void> {
  const { output } = context;
  if (!plan.mayWrite) throw readOnly();
  if (refusalsTold(context, plan)) return output.say('nothing was changed');
  const prune = flags.prune === true;
  if (prune && plan.unlisted.length > 0) {
    const keys = plan.unlisted.map(({ key }) => key);
    const jobs = counted(keys.length, 'job');
    await confirm(`Delete ${jobs} with all their runs: ${shortened(keys)}?`, flags.yes === true);
  }
  const progress = createProgress(output, 'applying');
  const carried = await carryOut(ask, plan, { prune, progress });
  report(context, plan, carried, flags);
}

function readOnly(): JobdError {
  return new JobdError('forbidden', 'this key may only read, a key with write is needed');
}

/** Asks the server, within its rate limit. */
export function asker(output: Output): Ask {
  return withinRateLimit(createAsker(clientConfig()), (line) => output.say(line));
}

/** The plan; null if the files have problems, which are told. */
async function planOf(context: Context, ask: Ask, { file }: PlanFlags): Promise<Plan | null> {
  const { definitions, problems } = await loadDefinitions(file, environmentVariable);
  if (problems.length === 0) return await makePlan(ask, definitions);
  for (const problem of problems) context.output.say(`jobd: ${plain(problemText(problem))}`);
  context.exitCode = 2;
  return null;
}

function showPlan(context: Context, plan: Plan, { prune = false, json }: PlanFlags): void {
  const { output } = context;
  const counts = countsOf(plan, prune);
  if (json) {
    const { changes, unlisted, mayWrite } = plan;
    const shown = changes.map(({ definition, result }) => ({
      key: result.key,
      place: placeText(definition.place),
      change: result.change,
      changedFields: result.changedFields,
      changedHeaders: result.changedHeaders,
      isAdopted: result.isAdopted,
      refusal: result.refusal,
    }));
    const keys = unlisted.map(({ key }) => key);
    printJson(output, { counts, changes: shown, unlisted: keys, areHeadersCompared: mayWrite });
  } else {
    for (const line of diffLines(plan, prune)) {
      if (output.hasColour) output.styled(coloured(plainText(line)));
      else output.data(line);
    }
  }
  refusalsTold(context, plan);
  output.say(summaryOf(counts));
  for (const remark of remarksOn(plan, counts, prune)) output.say(remark);
}

/** Whether the server refuses a definition. Each is told; the first one decides about the exit code. */
function refusalsTold(
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

/** Tells what was done and what was not. Throws what stopped it. */
function report(
  context: Context,
  plan: Plan,
  { results, left, failure }: Carried,
  { json }: { json?: true },
): void {
  const { output } = context;
  const done = results.filter(({ refusal }) => refusal === null);
  if (json) {
    const shown = results.map(({ key, change, changedFields, isAdopted, job, refusal }) => ({
      key,
      id: job?.id ?? null,
      change,
      changedFields,
      isAdopted,
      refusal,
    }));
    printJson(output, { results: shown, left });
  } else if (done.length > 0) {
    printRows(output, done, {
      change: ({ change, isAdopted }) =>
        isAdopted && change === 'none' ? 'adopted' : changeWords[change ?? 'none'],
      key: ({ key }) => key,
      fields: ({ changedFields }) => changedFields.join(' ') || null,
    });
  }
  refusalsTold(context, plan, results);
  const { none } = countsOf(plan, false);
  const count = (wanted: JobChange): number =>
    done.filter(({ change }) => change === wanted).length;
  const adopted = done.filter(({ isAdopted }) => isAdopted).length;
  output.say(
    `${count('create')} created, ${count('update')} updated, ${count('delete')} deleted` +
      `${adopted > 0 ? `, ${adopted} adopted` : ''}; ${none} the same`,
  );
  if (left.length > 0) {
    output.say(`not done: ${shortened(left)}; what was done stays, apply again to go on`);
  }
  if (failure !== null) throw failure;
}

function shortened(keys: readonly string[]): string {
  const more = keys.length > 10 ? ` and ${keys.length - 10} more` : '';
  return keys.slice(0, 10).join(', ') + more;
}
