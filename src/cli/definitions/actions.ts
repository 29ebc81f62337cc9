/** `jobd export`, `jobd diff` and `jobd apply`. In a file of its own, so that other commands need not load it. */

import { environmentVariable } from '../../config.ts';
import type { Ask } from '../client/client.ts';
import type { Context } from '../context.ts';
import { printJson } from '../terminal/output.ts';
import { counted, plain, plainText } from '../terminal/text.ts';
import { applyAndReport, reportRefusals } from './apply.ts';
import { coloured, diffLines, remarksOn, summaryOf } from './diff-text.ts';
import { exportJobs } from './export.ts';
import { loadDefinitions } from './load.ts';
import { placeText, problemText } from './parse-file.ts';
import { countsOf, makePlan } from './plan.ts';
import type { Plan } from './plan.ts';
import { allJobs, asker, askMe, managedJobs } from './server.ts';

export interface PlanFlags {
  file: string[];
  prune?: boolean;
  json?: true;
}

export interface ApplyFlags extends PlanFlags {
  dryRun?: true;
  yes?: true;
}

/** Writes all jobs as a definition file. */
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

/** Shows what applying would change; the exit code is 1 if there is something. */
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

/** The plan; null if the files have problems, which are reported. */
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
    const shown = changes.map(({ definition, result }) => {
      const { key, change, changedFields, changedHeaders, isAdopted, refusal } = result;
      const place = placeText(definition.place);
      return { key, place, change, changedFields, changedHeaders, isAdopted, refusal };
    });
    const keys = unlisted.map(({ key }) => key);
    printJson(output, { counts, changes: shown, unlisted: keys, areHeadersCompared: mayWrite });
  } else {
    for (const line of diffLines(plan, prune)) {
      if (output.hasColour) output.styled(coloured(plainText(line)));
      else output.data(line);
    }
  }
  reportRefusals(context, plan);
  output.say(summaryOf(counts));
  for (const remark of remarksOn(plan, counts, prune)) output.say(remark);
}
