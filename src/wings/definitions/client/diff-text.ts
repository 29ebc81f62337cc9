/** A plan for people: unified diffs of definitions, and the number of changes. It contains no secret. */

import { OMIT_HEADERS, formatPatch, structuredPatch } from 'diff';
import { counted, someOf } from '../../../domain/counted.ts';
import type { PlanAction } from '../../../domain/definition.ts';
import { getsUnseenSecret, hiddenNamesOf, label } from './kinds.ts';
import type { Definition, FileKind, Input } from './kinds.ts';
import { placeText } from './parse-file.ts';
import type { Change, Plan } from './server.ts';
import { fieldsOf, yamlOf } from './write.ts';

const unchangedSecret = '(secret)';
const changedSecret = '(changed)';
const nothing = '/dev/null';

/** Names in a sentence; more are counted. */
export const mostNames = 10;

/** Beyond this many edits the texts are shown whole, not compared line by line. */
const mostEdits = 5_000;

/** The diffs of a plan, a line each, without line ends. */
export function diffLines({ changes }: Plan): string[] {
  return changes.flatMap((change) => {
    const { kind, key, action, before, definition } = change;
    const name = label(kind, key);
    if (action === 'delete') {
      const fields = fieldsOf(
        kind,
        key,
        withHidden(kind, before ?? {}, () => unchangedSecret),
      );
      return patch([`${name} (server)`, nothing], [yamlOf(kind.conceal?.(fields) ?? fields), '']);
    }
    if (definition === undefined || !(action === 'create' || action === 'update')) return [];
    const from = action === 'create' ? nothing : `${name} (server)`;
    return patch(
      [from, `${name} (${placeText(definition.place)})`],
      [action === 'create' ? '' : beforeText(change, definition), afterText(change, definition)],
    );
  });
}

/** How many changes there are of each kind. */
export function countsOf({ changes, unlisted }: Plan) {
  const count = (wanted: PlanAction): number =>
    changes.filter(({ action }) => action === wanted).length;
  return {
    create: count('create'),
    update: count('update'),
    delete: count('delete'),
    /** Those made by hand that only get a key. */
    adopt: count('adopt'),
    unchanged: count('unchanged'),
    /** Those that are not created, as their time has passed. */
    over: count('over'),
    refused: count('refused'),
    unlisted: unlisted.length,
  };
}

/** `2 to create, 1 to update, 1 to delete; 37 the same`. */
export function summaryOf(counts: ReturnType<typeof countsOf>): string {
  const parts = [
    `${counts.create} to create`,
    `${counts.update} to update`,
    `${counts.delete} to delete`,
    counts.adopt > 0 && `${counts.adopt} to adopt as ${counts.adopt === 1 ? 'it is' : 'they are'}`,
    counts.refused > 0 && `${counts.refused} refused`,
  ].filter((part) => part !== false);
  return `${parts.join(', ')}; ${counts.unchanged} the same`;
}

/** Remarks on a plan, in sentences. */
export function remarksOn({ changes, unlisted, areSecretsCompared }: Plan): string[] {
  const be = unlisted.length === 1 ? 'is' : 'are';
  const them = unlisted.length === 1 ? 'it' : 'them';
  const refusal = unlisted.find((one) => one.refusal !== null);
  const pruning =
    refusal === undefined
      ? `--prune would delete ${them}`
      : `--prune would be refused: ${label(refusal.kind, refusal.key)}: ${refusal.refusal}`;
  const haveHidden = changes.some(({ kind, definition }) => {
    return kind.hidden !== undefined && definition?.input[kind.hidden] !== undefined;
  });
  const unseen = changes
    .filter(({ action, fields }) => action === 'create' || fields.includes('onResult'))
    .filter(({ definition, before }) => definition && getsUnseenSecret(definition.input, before));
  const unseenOf = (noun: string, signed: string, field: string): string | false => {
    const keys = unseen.filter(({ kind }) => kind.noun === noun).map(({ key }) => key);
    const made = `jobd makes the secret that signs ${signed}, and shows it to nobody`;
    return keys.length > 0 && `${someOf(keys, mostNames)}: ${made}; ${field} sets one`;
  };
  return [
    overWords(changes),
    unseenOf('job', 'the results', 'on-result-secret'),
    unseenOf('channel', 'its alerts', 'config.secret'),
    unlisted.length > 0 &&
      `${countedKinds(unlisted, 'managed ')} ${be} not in the files; ${pruning}`,
    !areSecretsCompared &&
      haveHidden &&
      'the values of headers and config were not compared: this key may only read',
  ].filter((remark) => typeof remark === 'string');
}

/** Which jobs are not created, as their time has passed; null if there are none. */
export function overWords(changes: readonly Change[]): string | null {
  const keys = changes.filter(({ action }) => action === 'over').map(({ key }) => key);
  return keys.length === 0
    ? null
    : `not created, as its time has passed: ${someOf(keys, mostNames)}`;
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

/** One as it is: as it is defined, but for what differs. Of a value that the definition fills in, only whether it differs is shown. */
function beforeText(change: Change, definition: Definition): string {
  const { kind, key, input } = definition;
  const before = { ...input, ...change.before };
  // A hidden value that the definition leaves out and that makes no difference is one that the server keeps by itself.
  const given = new Set([...hiddenNamesOf(kind, input), ...change.hidden]);
  const shown = withHidden(kind, before, (name) => (given.has(name) ? unchangedSecret : null));
  const fields = fieldsOf(kind, key, shown);
  const filledIn = unseenTexts(definition).flatMap(([name, text]) => {
    if (!isChanged(kind, name, change)) return [[name, text]];
    const wasThere = kind.keeps?.(before, name) ?? fields[name] !== undefined;
    return wasThere ? [[name, unchangedSecret]] : [];
  });
  return yamlOf({ ...fields, ...Object.fromEntries(filledIn) });
}

function afterText(change: Change, definition: Definition): string {
  const { kind, key, input } = definition;
  const names = new Set(hiddenNamesOf(kind, change.before ?? {}));
  const isOther = (name: string): boolean => names.has(name) && change.hidden.includes(name);
  const shown = withHidden(kind, input, (name) =>
    isOther(name) ? changedSecret : unchangedSecret,
  );
  const filledIn = unseenTexts(definition).map(([name, text]) => {
    const isShown = text !== unchangedSecret || !isChanged(kind, name, change);
    return [name, isShown ? text : changedSecret];
  });
  return yamlOf({ ...fieldsOf(kind, key, shown), ...Object.fromEntries(filledIn) });
}

/** The texts of fields as people see them where they do not see the values. */
function unseenTexts({ kind, input, written }: Definition): [name: string, shown: string][] {
  return Object.entries(kind.fields).flatMap(([name, { api, form }]) => {
    if (form.kind !== 'text') return [];
    const text = written.get(name);
    if (text === undefined && !(form.isSecret && api in input)) return [];
    return [[name, form.isShownAsWritten && text !== undefined ? text : unchangedSecret]];
  });
}

/** A definition with other words for the values that nobody is shown; null leaves one out. */
function withHidden(kind: FileKind, input: Input, shownAs: (name: string) => string | null): Input {
  if (kind.hidden === undefined) return input;
  const shown = hiddenNamesOf(kind, input)
    .map((name) => [name, shownAs(name)])
    .filter(([, text]) => text !== null);
  return { ...input, [kind.hidden]: shown.length === 0 ? null : Object.fromEntries(shown) };
}

function isChanged({ fields }: FileKind, name: string, change: Change): boolean {
  return change.fields.includes(fields[name]?.api ?? name);
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
