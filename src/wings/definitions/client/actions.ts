/** `jobd export`, `jobd diff`, `jobd apply` and `jobd schema`. In a file of its own, so that other commands need not load it. */

import { environmentVariable } from '../../../settings/config.ts';
import { codeOf, type Ask } from '../../../cli/client/client.ts';
import type { Context } from '../../../cli/context.ts';
import { printJson, printRows } from '../../../cli/terminal/output.ts';
import { confirm } from '../../../cli/terminal/prompt.ts';
import { plain, plainText } from '../../../cli/terminal/text.ts';
import { counted, someOf } from '../../../domain/counted.ts';
import type { PlanAction } from '../../../domain/definition.ts';
import { JobdError } from '../../../domain/errors.ts';
import {
  coloured,
  countedKinds,
  countsOf,
  diffLines,
  mostNames,
  overWords,
  remarksOn,
  summaryOf,
} from './diff-text.ts';
import { exportAll } from './write.ts';
import { fileKinds, label, type Definition } from './kinds.ts';
import { loadDefinitions } from './load.ts';
import { placeText, problemText } from './parse-file.ts';
import { wordedForFiles } from './read-definition.ts';
import { fileSchema } from './schema.ts';
import { asker, definedItems, sendDefinitions, type Change, type Plan } from './server.ts';

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
  const items = await definedItems(asker(output));
  const { text, variables } = exportAll(items);
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
  const definitions = await definitionsOf(context, flags);
  if (definitions === null) return;
  const { create, update, delete: deleted, adopt } = await showPlan(context, definitions, flags);
  const isSame = create + update + deleted + adopt === 0;
  if (context.exitCode === 0 && !isSame) context.exitCode = 1;
}

/** Applies files, or in a dry run shows what that would change. */
export async function apply(context: Context, flags: ApplyFlags): Promise<void> {
  const definitions = await definitionsOf(context, flags);
  if (definitions === null) return;
  if (flags.dryRun) await showPlan(context, definitions, flags);
  else await applyAndReport(context, asker(context.output), definitions, flags);
}

/** What the files define; null if they have problems, which are reported. */
async function definitionsOf(context: Context, { file }: PlanFlags): Promise<Definition[] | null> {
  const { definitions, problems } = await loadDefinitions(file, environmentVariable);
  if (problems.length === 0) return definitions;
  for (const problem of problems) context.output.say(`jobd: ${plain(problemText(problem))}`);
  context.exitCode = 2;
  return null;
}

async function showPlan(
  context: Context,
  definitions: readonly Definition[],
  { prune, json }: PlanFlags,
): Promise<ReturnType<typeof countsOf>> {
  const { output } = context;
  const plan = await sendDefinitions(asker(output), definitions, { dryRun: true, prune });
  const counts = countsOf(plan);
  if (json) printJson(output, { counts, ...shapeOf(plan) });
  else {
    for (const line of diffLines(plan)) {
      if (output.hasColour) output.styled(coloured(plainText(line)));
      else output.data(line);
    }
  }
  reportRefusals(context, plan.changes);
  output.say(summaryOf(counts));
  for (const remark of remarksOn(plan)) output.say(remark);
  return counts;
}

function shapeOf({ changes, unlisted, areSecretsCompared }: Plan): object {
  return {
    changes: changes.map(({ kind, key, definition, action, fields, hidden, refusal }) => {
      const place = definition ? placeText(definition.place) : null;
      return { kind: kind.noun, key, place, action, fields, hidden, refusal };
    }),
    unlisted: unlisted.map(({ kind, key, refusal }) => ({ kind: kind.noun, key, refusal })),
    areSecretsCompared,
  };
}

/** Applies definitions and reports what was done. Asks before anything is deleted. Throws as the client does, and what `confirm` throws. */
export async function applyAndReport(
  context: Context,
  ask: Ask,
  definitions: readonly Definition[],
  { prune, yes, json }: { prune?: boolean; yes?: true; json?: true },
): Promise<Plan> {
  const mark = prune && !yes ? await confirmed(ask, definitions) : undefined;
  const done = await sendDefinitions(ask, definitions, { dryRun: false, prune, mark });
  report(context, done, json === true);
  return done;
}

/** Asks about what would be deleted. Returns the mark of what was shown. */
async function confirmed(
  ask: Ask,
  definitions: readonly Definition[],
): Promise<string | undefined> {
  const { changes, mark } = await sendDefinitions(ask, definitions, { dryRun: true, prune: true });
  const doomed = changes.filter(({ action }) => action === 'delete');
  // What is refused is said when it is applied.
  if (doomed.length === 0 || changes.some(({ refusal }) => refusal !== null)) return mark;
  const names = someOf(
    doomed.map(({ kind, key }) => label(kind, key)),
    mostNames,
  );
  await confirm(`Delete ${countedKinds(doomed)} with all that was recorded: ${names}?`, false);
  return mark;
}

/** Reports each change that is refused, and whether there is one. The first decides the exit code. */
export function reportRefusals(context: Context, changes: readonly Change[]): boolean {
  const refusals = changes.flatMap(({ refusal, ...change }) =>
    refusal ? [{ ...change, refusal }] : [],
  );
  for (const { kind, key, definition, refusal } of refusals) {
    const where = definition ? `${placeText(definition.place)}: ` : '';
    const error = wordedForFiles(kind, refusal.error);
    context.output.say(plain(`jobd: ${where}${label(kind, key)}: ${error}`));
  }
  const [first] = refusals;
  if (first === undefined) return false;
  context.exitCode = new JobdError(codeOf(first.refusal.status), '').exitCode;
  return true;
}

const doneWords = {
  create: 'created',
  update: 'updated',
  adopt: 'adopted',
  delete: 'deleted',
  unchanged: 'unchanged',
  over: 'left out',
  refused: 'refused',
} satisfies Record<PlanAction, string>;

function report(context: Context, { changes, ...plan }: Plan, isJson: boolean): void {
  const { output } = context;
  const done = changes.filter(({ isDone }) => isDone);
  const left = changes.filter(
    ({ isDone, action, refusal }) =>
      !isDone && refusal === null && action !== 'unchanged' && action !== 'over',
  );
  if (isJson) {
    const results = changes.map(({ kind, key, id, action, fields, refusal, isDone }) => {
      return { kind: kind.noun, key, id, action, fields, refusal, isDone };
    });
    printJson(output, { results });
  } else if (done.length > 0) {
    printRows(output, done, {
      change: ({ action }) => doneWords[action],
      kind: ({ kind }) => kind.noun,
      key: ({ key }) => key,
      fields: ({ fields }) => fields.filter((name) => name !== 'key').join(' ') || null,
    });
  }
  const isRefused = reportRefusals(context, changes);
  // What is refused so was found before anything was changed.
  if (changes.some(({ action }) => action === 'refused')) {
    output.say('nothing was changed');
    return;
  }
  const { create, update, delete: deleted, adopt } = countsOf({ ...plan, changes: done });
  const { unchanged } = countsOf({ ...plan, changes });
  output.say(
    `${create} created, ${update} updated, ${deleted} deleted` +
      `${adopt > 0 ? `, ${adopt} adopted` : ''}; ${unchanged} the same`,
  );
  const over = overWords(changes);
  if (over !== null) output.say(over);
  if (left.length === 0) return;
  const names = left.map(({ kind, key }) => label(kind, key));
  output.say(`not done: ${someOf(names, mostNames)}; what was done stays, apply again to continue`);
  if (!isRefused) context.exitCode = new JobdError('conflict', '').exitCode;
}
