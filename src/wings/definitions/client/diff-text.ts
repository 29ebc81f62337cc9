/** A plan for people: unified diffs of definitions, and the number of changes. It contains no secret. */

import { OMIT_HEADERS, formatPatch, structuredPatch } from 'diff';
import { counted, someOf } from '../../../domain/counted.ts';
import { getsUnseenSecret } from './job-kind.ts';
import { label } from './kind.ts';
import type { Definition, FileKind, Fields, Input, Writing, ManagedItem } from './kind.ts';
import { placeText } from './parse-file.ts';
import type { Plan, PlanCounts, PlannedChange } from './plan.ts';
import type { DefinitionResult } from './server.ts';
import { fieldsOf, yamlOf } from './write-definitions.ts';

const unchangedSecret = '(secret)';
const changedSecret = '(changed)';
const nothing = '/dev/null';

/** Names in a sentence; more are counted. */
export const mostNames = 10;

/** Beyond this many edits the texts are shown whole, not compared line by line. */
const mostEdits = 5_000;

/** The diffs of a plan, a line each, without line ends. */
export function diffLines(plan: Plan, prune: boolean): string[] {
  const { changes, unlisted, defaultTimeoutSeconds, names } = plan;
  const writing = { defaultTimeoutSeconds, names };
  const changed = changes.filter(
    ({ result: { change } }) => change === 'create' || change === 'update',
  );
  return [
    ...changed.flatMap((change) => linesOfChange(change, writing)),
    ...(prune ? unlisted : []).flatMap(({ kind, key, item }) => {
      const before = yamlOf(kind.conceal(fieldsOfItem(kind, key, item, writing)));
      return patch([`${label(kind, key)} (server)`, nothing], [before, '']);
    }),
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
export function remarksOn({ mayWrite, changes, unlisted }: Plan, prune: boolean): string[] {
  const be = unlisted.length === 1 ? 'is' : 'are';
  const them = unlisted.length === 1 ? 'it' : 'them';
  const haveHidden = changes.some(
    ({ definition: { kind, input } }) => kind.hidden !== undefined && input[kind.hidden],
  );
  const unseen = changes
    .filter(({ definition: { kind }, result: { refusal } }) => kind.section === 'jobs' && !refusal)
    .filter(({ definition: { input }, result: { item } }) => getsUnseenSecret(input, item))
    .map(({ definition: { key } }) => key);
  return [
    unseen.length > 0 &&
      `${someOf(unseen, mostNames)}: jobd makes the secret that signs the results, and shows it to nobody; on-result-secret sets one`,
    !prune &&
      unlisted.length > 0 &&
      `${countedKinds(unlisted, 'managed ')} ${be} not in the files; --prune would delete ${them}`,
    !mayWrite &&
      haveHidden &&
      'the values of headers and config were not compared: this key may only read',
  ].filter((remark) => remark !== false);
}

/** `2 managed jobs and 1 managed channel`. */
export function countedKinds(items: readonly { kind: FileKind }[], adjective = ''): string {
  const nouns = Map.groupBy(items, ({ kind }) => kind.noun);
  const parts = [...nouns].map(([noun, all]) => counted(all.length, `${adjective}${noun}`));
  return [parts.slice(0, -1).join(', '), parts.at(-1)].filter(Boolean).join(' and ');
}

/** The colours of a diff, for a terminal. */
export function coloured(line: string): string {
  const isName = line.startsWith('--- ') || line.startsWith('+++ ');
  const colour = isName ? 1 : { '@': 36, '+': 32, '-': 31 }[line.charAt(0)];
  return colour === undefined ? line : `\u001b[${colour}m${line}\u001b[0m`;
}

function linesOfChange({ definition, result }: PlannedChange, writing: Writing): string[] {
  const { kind, key, place } = definition;
  const name = label(kind, key);
  const before = result.item === null ? '' : beforeText(result.item, definition, result, writing);
  const from = result.item === null ? nothing : `${name} (server)`;
  return patch(
    [from, `${name} (${placeText(place)})`],
    [before, afterText(definition, result, writing)],
  );
}

/** One as it is. Of a value that the definition fills in, only whether it differs is shown. */
function beforeText(
  item: ManagedItem,
  { kind, key, input, written }: Definition,
  result: DefinitionResult,
  writing: Writing,
): string {
  // A value that the definition leaves out and that makes no difference is one that the server keeps by itself.
  const given = new Set([...hiddenNamesOf(kind, input), ...result.changedHidden]);
  const hiddenNames = item.hiddenNames.filter((name) => given.has(name));
  const fields = fieldsOfItem(kind, key, { ...item, hiddenNames }, writing);
  const filledIn = [...written].flatMap(([name, text]) => {
    if (fields[name] === undefined && kind.keeps?.(item, name) !== true) return [];
    const isShown = isShownAsWritten(kind, name) && !isChanged(kind, name, result);
    return [[name, isShown ? text : unchangedSecret]];
  });
  return yamlOf({ ...fields, ...Object.fromEntries(filledIn) });
}

function afterText(
  { kind, key, input, written }: Definition,
  result: DefinitionResult,
  writing: Writing,
): string {
  const { change, changedHidden, item } = result;
  const isNew = change === 'create';
  const whole = kind.whole(input, writing);
  const names = hiddenNamesOf(kind, whole);
  const isOther = (name: string): boolean =>
    item?.hiddenNames.includes(name) === true && changedHidden.includes(name);
  const hidden = hiddenAs(kind, names, (name) => (isOther(name) ? changedSecret : unchangedSecret));
  const filledIn = [...written].map(([name, text]) => {
    const shown = !isNew && isChanged(kind, name, result) ? changedSecret : unchangedSecret;
    return [name, isShownAsWritten(kind, name) ? text : shown];
  });
  const fields = fieldsOf(kind, key, { ...whole, ...hidden }, writing);
  return yamlOf({ ...fields, ...Object.fromEntries(filledIn) });
}

/** The fields of one that the server has. */
function fieldsOfItem(
  kind: FileKind,
  key: string,
  { document, hiddenNames }: ManagedItem,
  writing: Writing,
): Fields {
  const hidden = hiddenAs(kind, hiddenNames, () => unchangedSecret);
  return fieldsOf(kind, key, { ...document, ...hidden }, writing);
}

/** The names of the values that nobody is shown. */
function hiddenNamesOf({ hidden }: FileKind, whole: Input): string[] {
  return Object.keys((hidden && whole[hidden]) ?? {});
}

/** The field whose values nobody is shown, with other words for them. */
function hiddenAs(
  { hidden }: FileKind,
  names: readonly string[],
  shownAs: (name: string) => string,
): Input {
  if (hidden === undefined) return {};
  return { [hidden]: Object.fromEntries(names.map((name) => [name, shownAs(name)])) };
}

function isShownAsWritten({ fields }: FileKind, name: string): boolean {
  const form = fields[name]?.form;
  return form?.kind === 'text' && form.isShownAsWritten === true;
}

function isChanged({ fields }: FileKind, name: string, result: DefinitionResult): boolean {
  return result.changedFields.includes(fields[name]?.api ?? name);
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
