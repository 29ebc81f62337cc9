/** Definitions that are sent to the server, and what it says of them. */

import type * as contract from '../server/contract.ts';
import { createAsker, pages, type Ask } from '../../../cli/client/client.ts';
import { withinRateLimit } from '../../../cli/client/retry.ts';
import { clientConfig } from '../../../cli/client/settings.ts';
import type { Output } from '../../../cli/terminal/output.ts';
import { mostDefinitions } from '../../../domain/definition.ts';
import { JobdError } from '../../../domain/errors.ts';
import { sizeText } from '../../../domain/sizes.ts';
import { fileKinds, jobKind, label } from './kinds.ts';
import type { Definition, FileKind, Section } from './kinds.ts';
import { placeText } from './parse-file.ts';
import { wordedForFiles } from './read-definition.ts';

/** The server takes so much at once. */
const mostBytes = 1024 * 1024;
/** Longer than the server continues with what it applies. */
const answerTimeoutMs = 60_000;

/** What the server does, or has done, to the one of a key. */
export interface Change extends Omit<contract.DefinitionChange, 'kind'> {
  kind: FileKind;
  /** Undefined for one that no file defines. */
  definition: Definition | undefined;
}

export interface Plan {
  /** Ordered by section and key; deletions come last. */
  changes: Change[];
  /** Pruning would delete them. */
  unlisted: { kind: FileKind; key: string; refusal: string | null }[];
  /** Whether hidden values were compared. */
  areSecretsCompared: boolean;
  mark: string;
}

/** Asks the server, within its rate limit. */
export function asker(output: Output): Ask {
  const ask = createAsker(clientConfig(), { timeoutMs: answerTimeoutMs });
  return withinRateLimit(ask, (line) => output.say(line));
}

/** Sends definitions: to be applied, or in a dry run to be compared. Throws `usage` if they are too many, and as the client does. */
export async function sendDefinitions(
  ask: Ask,
  definitions: readonly Definition[],
  options: { dryRun: boolean; prune?: boolean | undefined; mark?: string | undefined },
): Promise<Plan> {
  const bySection = Object.groupBy(definitions, ({ kind }) => kind.section);
  const body = {
    ...options,
    ...Object.fromEntries(
      fileKinds.map(({ section }) => [section, (bySection[section] ?? []).map(sent)]),
    ),
  };
  checkSize(definitions, body);
  const answer = await inFiles(bySection, () =>
    ask<contract.DefinitionPlan>('POST', '/definitions', body),
  );
  const byLabel = new Map(definitions.map((one) => [label(one.kind, one.key), one]));
  const changes = answer.changes.map((change) => {
    const kind = kindOf(change.kind);
    return { ...change, kind, definition: byLabel.get(label(kind, change.key)) };
  });
  const unlisted = answer.unlisted.map((one) => ({ ...one, kind: kindOf(one.kind) }));
  return { ...answer, changes, unlisted };
}

function kindOf(noun: string): FileKind {
  return fileKinds.find((kind) => kind.noun === noun) ?? jobKind;
}

function sent({ key, input, adopt }: Definition): object {
  return { key, ...(adopt !== undefined && { adopt }), ...input };
}

function bytesOf(definition: Definition): number {
  return Buffer.byteLength(JSON.stringify(sent(definition)));
}

function checkSize(definitions: readonly Definition[], body: object): void {
  const { length } = definitions;
  const inParts = 'apply one file after the other, without --prune';
  if (length > mostDefinitions) {
    const sentence = `the files have ${length} definitions, at most ${mostDefinitions} are applied at once`;
    throw new JobdError('usage', `${sentence}: ${inParts}`);
  }
  const bytes = Buffer.byteLength(JSON.stringify(body));
  if (bytes <= mostBytes) return;
  const largest = definitions.reduce((one, other) => (bytesOf(other) > bytesOf(one) ? other : one));
  const { kind, key, place } = largest;
  const sentence = `the definitions have ${sizeText(bytes)}, at most 1 MiB is applied at once`;
  const where = `the largest is ${label(kind, key)} at ${placeText(place)} with ${sizeText(bytesOf(largest))}`;
  throw new JobdError('usage', `${sentence}; ${where}: ${inParts}`);
}

/** Says of a refusal of the whole request which definition is meant, and where it is. */
async function inFiles<T>(
  bySection: Partial<Record<Section, readonly Definition[]>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof JobdError)) throw error;
    const [, section = '', index = '', rest = ''] =
      /^(jobs|monitors|channels)\.(\d+)\.(.*)$/s.exec(error.message) ?? [];
    const meant = bySection[section as Section]?.[Number(index)];
    if (meant === undefined) throw error;
    const { kind, key, place } = meant;
    const sentence = `${placeText(place)}: ${label(kind, key)}: ${wordedForFiles(kind, rest)}`;
    throw new JobdError(error.code, sentence, { cause: error });
  }
}

/** What the server has, as definitions, by section. */
export type DefinedItems = Readonly<Record<Section, readonly contract.Defined[]>>;

/** Lists all jobs, monitors and channels, also those made by hand. */
export async function definedItems(ask: Ask): Promise<DefinedItems> {
  const list = (noun: string): Promise<contract.Defined[]> =>
    Array.fromAsync(pages(ask, `/definitions?kind=${noun}&show=all`, 'definitions'));
  return {
    jobs: await list('job'),
    monitors: await list('monitor'),
    channels: await list('channel'),
  };
}
