/** `jobd export`, `jobd diff`, `jobd apply` and `jobd schema`. In a file of its own, so that other commands need not load it. */

import { environmentVariable } from '../../../settings/config.ts';
import type { Ask } from '../../../cli/client/client.ts';
import type { Context } from '../../../cli/context.ts';
import { printJson } from '../../../cli/terminal/output.ts';
import { counted } from '../../../domain/counted.ts';
import { plain, plainText } from '../../../cli/terminal/text.ts';
import { applyAndReport, reportRefusals } from './apply.ts';
import { coloured, countedKinds, diffLines, remarksOn, summaryOf } from './diff-text.ts';
import { exportAll } from './export.ts';
import { fileKinds } from './kinds.ts';
import { loadDefinitions } from './load.ts';
import { placeText, problemText } from './parse-file.ts';
import { countsOf, makePlan } from './plan.ts';
import type { Plan } from './plan.ts';
import { fileSchema } from './schema.ts';
import { asker, askMe, managedItems } from './server.ts';

export interface PlanFlags {
  file: string[];
  prune?: boolean;
  json?: true;
}

export interface ApplyFlags extends PlanFlags {
  dryRun?: true;
  yes?: true;
}

/** Writes the schema of definition files. */
export function printSchema({ output }: Context): void {
  output.data(JSON.stringify(fileSchema(), null, 2));
}

/** Writes all jobs, monitors and channels as a definition file. */
export async function printExport({ output }: Context, { json }: { json?: true }): Promise<void> {
  const ask = asker(output);
  const { defaultTimeoutSeconds } = await askMe(ask);
  const items = await managedItems(ask, 'all');
  const { text, variables } = exportAll(items, defaultTimeoutSeconds);
  const { jobs, monitors, channels } = items;
  const counts = { jobs: jobs.length, monitors: monitors.length, channels: channels.length };
  if (json) printJson(output, { ...counts, variables, yaml: text });
  else output.data(text.trimEnd());
  const set =
    variables.length === 0 ? '' : `, with ${counted(variables.length, 'variable')} to set`;
  const all = fileKinds.flatMap((kind) => items[kind.section].map(() => ({ kind })));
  output.say(`exported ${all.length === 0 ? 'nothing' : countedKinds(all)}${set}`);
}

/** Shows what applying would change; the exit code is 1 if there is something. */
export async function diff(context: Context, flags: PlanFlags): Promise<void> {
  const plan = await planOf(context, asker(context.output), flags);
  if (plan === null) return;
  showPlan(context, plan, flags);
  const counts = countsOf(plan, flags.prune === true);
  const isSame = counts.create + counts.update + counts.delete + counts.adopt === 0;
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
async function planOf(context: Context, ask: Ask, flags: PlanFlags): Promise<Plan | null> {
  const { file, prune = false } = flags;
  const { definitions, problems } = await loadDefinitions(file, environmentVariable);
  if (problems.length === 0) return await makePlan(ask, definitions, { prune });
  for (const problem of problems) context.output.say(`jobd: ${plain(problemText(problem))}`);
  context.exitCode = 2;
  return null;
}

function showPlan(context: Context, plan: Plan, { prune = false, json }: PlanFlags): void {
  const { output } = context;
  const counts = countsOf(plan, prune);
  if (json) {
    const { changes, unlisted, mayWrite } = plan;
    const shown = changes.map(({ definition: { kind, key, place: at }, result }) => {
      const { change, changedFields, changedHidden, isAdopted, refusal } = result;
      const named = { kind: kind.noun, key, place: placeText(at) };
      return Object.assign(named, { change, changedFields, changedHidden, isAdopted, refusal });
    });
    const left = unlisted.map(({ kind, key }) => ({ kind: kind.noun, key }));
    printJson(output, { counts, changes: shown, unlisted: left, areSecretsCompared: mayWrite });
  } else {
    for (const line of diffLines(plan, prune)) {
      if (output.hasColour) output.styled(coloured(plainText(line)));
      else output.data(line);
    }
  }
  reportRefusals(context, plan);
  output.say(summaryOf(counts));
  for (const remark of remarksOn(plan, prune)) output.say(remark);
}
