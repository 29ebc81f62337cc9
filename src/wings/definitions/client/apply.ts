/** Applies a plan: first what files define, and only if all of that succeeds, the deletion of what they no longer define. */

import type { DefinitionChange } from '../../../domain/definition.ts';
import { someOf } from '../../../domain/counted.ts';
import { JobdError } from '../../../domain/errors.ts';
import { codeOf } from '../../../cli/client/client.ts';
import { adviceOn } from '../../../cli/client/option-words.ts';
import type { Ask } from '../../../cli/client/client.ts';
import type { Context } from '../../../cli/context.ts';
import { confirm } from '../../../cli/terminal/prompt.ts';
import { printJson, printRows } from '../../../cli/terminal/output.ts';
import { plain } from '../../../cli/terminal/text.ts';
import { countedKinds, mostNames } from './diff-text.ts';
import { label } from './kind.ts';
import type { FileKind } from './kind.ts';
import { fileKinds } from './kinds.ts';
import { placesIn, placesOfUnlisted } from './chains.ts';
import { placeText } from './parse-file.ts';
import { countsOf } from './plan.ts';
import type { Plan } from './plan.ts';
import { createProgress } from './progress.ts';
import { wordedForFiles } from './read-definition.ts';
import { inputOf, refused, sendDefinitions } from './server.ts';
import type { DefinitionInput, DefinitionResult } from './server.ts';

/** Applies a plan and reports what was done. Returns whether that is all. Throws the error that stopped it, and what `confirm` throws. */
export async function applyAndReport(
  context: Context,
  ask: Ask,
  plan: Plan,
  flags: { prune?: boolean; yes?: true; json?: true },
): Promise<boolean> {
  const { output } = context;
  if (!plan.mayWrite) {
    throw new JobdError('forbidden', 'this key may only read, a key with write is needed');
  }
  if (reportRefusals(context, plan)) {
    output.say('nothing was changed');
    return false;
  }
  // Channels first: they name what else is deleted.
  const pruned = fileKinds
    .toReversed()
    .flatMap((kind) => plan.unlisted.filter((each) => flags.prune === true && each.kind === kind));
  if (pruned.length > 0) {
    const names = someOf(
      pruned.map(({ kind, key }) => label(kind, key)),
      mostNames,
    );
    const question = `Delete ${countedKinds(pruned)} with all they recorded: ${names}?`;
    await confirm(question, flags.yes === true);
  }
  const places = placesIn(plan.changes.map(({ definition }) => definition));
  const last = placesOfUnlisted(pruned);
  const changed = plan.changes
    .filter(({ result: { change, isAdopted } }) => change !== 'none' || isAdopted)
    .map(({ definition }): Sent => {
      const { kind, key } = definition;
      return { kind, input: inputOf(definition), place: places.get(key) ?? 0 };
    });
  const deleted = pruned.map(({ kind, key }): Sent => ({
    kind,
    input: { key, input: null },
    place: -(last.get(key) ?? 0),
  }));
  return report(context, plan, await carryOut(context, ask, changed, deleted), flags);
}

/** A definition to send. */
interface Sent {
  kind: FileKind;
  input: DefinitionInput;
  /** Those of a kind are sent in this order, one place after the other: a job after the one it runs after. */
  place: number;
}

interface Done extends DefinitionResult {
  kind: FileKind;
}

interface Carried {
  /** In the order in which they were sent. */
  results: Done[];
  /** Those that were not sent, or not answered. Applying again continues with them. */
  left: Pick<Sent, 'kind' | 'input'>[];
  /** The error that stopped it; null if it reached the end. */
  failure: unknown;
}

/** Never rejects. */
async function carryOut(
  { output }: Context,
  ask: Ask,
  changed: readonly Sent[],
  deleted: readonly Sent[],
): Promise<Carried> {
  const parts = [...ofEachKind(changed), ...ofEachKind(deleted)];
  const all = parts.flatMap(({ kind, inputs }) => inputs.map((input) => ({ kind, input })));
  const progress = createProgress(output, 'applying');
  const results: Done[] = [];
  let failure: unknown = null;
  try {
    for (const { kind, inputs } of parts) {
      if (results.some(({ refusal }) => refusal !== null)) break;
      const before = results.length;
      const sent = (count: number): void => progress.at(before + count, all.length);
      for await (const result of sendDefinitions(ask, kind, inputs, { dryRun: false, sent })) {
        results.push({ ...result, kind });
      }
    }
  } catch (error) {
    failure = error;
  } finally {
    progress.end();
  }
  return { results, left: all.slice(results.length), failure };
}

/** What is sent together: definitions of one kind and place, in their order. */
function ofEachKind(all: readonly Sent[]) {
  const byKind = Map.groupBy(all, ({ kind }) => kind);
  return [...byKind].flatMap(([kind, sent]) => {
    const byPlace = [...Map.groupBy(sent, ({ place }) => (kind.section === 'jobs' ? place : 0))];
    const inOrder = byPlace.toSorted(([one], [other]) => one - other);
    return inOrder.map(([, together]) => ({ kind, inputs: together.map(({ input }) => input) }));
  });
}

/** The results of a plan, and the refusals of what it cannot delete. */
function plannedResults({ changes, unlisted }: Plan): Done[] {
  return [
    ...changes.map(({ definition: { kind }, result }) => ({ ...result, kind })),
    ...unlisted.flatMap(({ kind, key, refusal }) =>
      refusal === null ? [] : [{ ...refused(key, refusal, 409), kind }],
    ),
  ];
}

/** Reports each definition that is refused, and whether there is one. The first decides the exit code. */
export function reportRefusals(
  context: Context,
  plan: Plan,
  results: readonly Done[] = plannedResults(plan),
): boolean {
  const { changes } = plan;
  const refusals = results.filter(({ refusal }) => refusal !== null);
  for (const { kind, key, refusal } of refusals) {
    const found = changes.find(
      ({ definition }) => definition.key === key && definition.kind === kind,
    );
    const where = found ? `${placeText(found.definition.place)}: ` : '';
    const error = wordedForFiles(kind, refusal?.error ?? '');
    context.output.say(plain(`jobd: ${where}${label(kind, key)}: ${error}`));
  }
  const advice = new Set(refusals.map(({ refusal }) => adviceOn(refusal?.error ?? '')));
  for (const one of advice) if (one !== null) context.output.say(one);
  const status = refusals[0]?.refusal?.status;
  if (status === undefined) return false;
  context.exitCode = new JobdError(codeOf(status), '').exitCode;
  return true;
}

const changeWords = { create: 'created', update: 'updated', delete: 'deleted', none: 'unchanged' };

/** Reports what was done and what was not. Returns whether all was. Throws the error that stopped it. */
function report(
  context: Context,
  plan: Plan,
  { results, left, failure }: Carried,
  { json }: { json?: true },
): boolean {
  const { output } = context;
  const done = results.filter(({ refusal }) => refusal === null);
  if (json) {
    const shown = results.map(({ kind, key, item, change, changedFields, isAdopted, refusal }) => {
      const { noun } = kind;
      return { kind: noun, key, id: item?.id ?? null, change, changedFields, isAdopted, refusal };
    });
    const notDone = left.map(({ kind, input: { key } }) => ({ kind: kind.noun, key }));
    printJson(output, { results: shown, left: notDone });
  } else if (done.length > 0) {
    printRows(output, done, {
      change: ({ change, isAdopted }) =>
        isAdopted && change === 'none' ? 'adopted' : changeWords[change ?? 'none'],
      kind: ({ kind }) => kind.noun,
      key: ({ key }) => key,
      fields: ({ changedFields }) => changedFields.join(' ') || null,
    });
  }
  const isRefused = reportRefusals(context, plan, results);
  const { none } = countsOf(plan, false);
  const count = (wanted: DefinitionChange): number =>
    done.filter(({ change }) => change === wanted).length;
  const adopted = done.filter(({ isAdopted }) => isAdopted).length;
  output.say(
    `${count('create')} created, ${count('update')} updated, ${count('delete')} deleted` +
      `${adopted > 0 ? `, ${adopted} adopted` : ''}; ${none} the same`,
  );
  if (left.length > 0) {
    const names = left.map(({ kind, input: { key } }) => label(kind, key));
    output.say(
      `not done: ${someOf(names, mostNames)}; what was done stays, apply again to continue`,
    );
  }
  if (failure !== null) throw failure;
  return !isRefused && left.length === 0;
}
