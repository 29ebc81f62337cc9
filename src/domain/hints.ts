/**
 * What processes that share a database tell each other. Hints are gathered, and a hint that is too long says less: nothing
 * depends on them, as every loop and every page also looks by itself.
 */

import { ifPossible } from './errors.ts';
import { endReasons, type EndedStreams, type EndReason } from './audited.ts';
import { gatherChanges } from './changes.ts';
import type { Changed, GatheredChanges, WorkspaceChange } from './changes.ts';

/** Loops that other processes wake. */
const wokenLoops = ['claim', 'report', 'notify'] as const;
export type WokenLoop = (typeof wokenLoops)[number];

export interface Hint {
  /** Loops that may have work. */
  wakes: readonly WokenLoop[];
  /** What changed, by workspace; null if it may be anything in any workspace. */
  changes: readonly WorkspaceChange[] | null;
  /** Keys and sessions whose streams end. */
  ended: readonly EndedStreams[];
}

/** For whoever may have missed hints. */
export const anyHint: Hint = { wakes: wokenLoops, changes: null, ended: [] };

/** More workspaces than this are not named. */
export const mostWorkspaces = 100;
/** Streams of more keys and sessions than this end when their key is looked at again. */
export const mostEnded = 30;

/** Hints that become one. Its size is bounded. */
export interface GatheredHints {
  add(hint: Partial<Hint>): void;
  /** All of them; null if nothing was added. */
  all(): Hint | null;
}

/** Gathers hints, none at first. */
export function gatherHints(): GatheredHints {
  const wakes = new Set<WokenLoop>();
  const ended = new Map<string, EndReason>();
  let workspaces: Map<string, GatheredChanges> | null = new Map();

  function addChange([workspaceId, changed]: WorkspaceChange): void {
    if (workspaces === null) return;
    const known = workspaces.get(workspaceId);
    const gathered = known ?? gatherChanges();
    gathered.add(changed);
    if (known !== undefined) return;
    workspaces.set(workspaceId, gathered);
    if (workspaces.size > mostWorkspaces) workspaces = null;
  }

  return {
    add(hint) {
      for (const loop of hint.wakes ?? []) wakes.add(loop);
      for (const { actorId, reason } of hint.ended ?? []) {
        if (ended.size < mostEnded) ended.set(actorId, reason);
      }
      if (hint.changes === null) workspaces = null;
      for (const change of hint.changes ?? []) addChange(change);
    },
    all() {
      if (workspaces !== null && wakes.size + ended.size + workspaces.size === 0) return null;
      return {
        wakes: [...wakes],
        changes: workspaces && Array.from(workspaces, ([id, gathered]) => [id, gathered.all()]),
        ended: Array.from(ended, ([actorId, reason]) => ({ actorId, reason })),
      };
    },
  };
}

/** A hint as text of at most `mostBytes`: workspaces where much changed lose their ids. Ids are ASCII. */
export function textOfHint(hint: Hint, mostBytes: number): string {
  const text = JSON.stringify(hint);
  let excess = text.length - mostBytes;
  if (excess <= 0 || hint.changes === null) return text;
  const changes = hint.changes
    .toSorted((one, other) => sizeOf(other) - sizeOf(one))
    .map((change): WorkspaceChange => {
      if (excess <= 0) return change;
      excess -= sizeOf(change) - 'null'.length;
      return [change[0], null];
    });
  return JSON.stringify({ ...hint, changes });
}

function sizeOf([, changed]: WorkspaceChange): number {
  return JSON.stringify(changed).length;
}

/** The hint of a text. One that is not understood, such as that of another version, may mean anything. */
export function hintOf(text: string): Hint {
  const hint = ifPossible(() => JSON.parse(text) as unknown);
  return isHint(hint) ? hint : anyHint;
}

function isHint(value: unknown): value is Hint {
  return (
    isObject(value) &&
    isListOf(value['wakes'], (loop) => wokenLoops.some((known) => known === loop)) &&
    (value['changes'] === null || isListOf(value['changes'], isWorkspaceChange)) &&
    isListOf(value['ended'], isEnded)
  );
}

function isWorkspaceChange(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  const [workspaceId, changed] = value as unknown[];
  return isText(workspaceId) && (changed === null || isChanged(changed));
}

function isChanged(value: unknown): value is Changed {
  return (
    isObject(value) &&
    ['jobs', 'monitors', 'channels'].every((part) => isListOf(value[part], isText)) &&
    isListOf(value['runs'], isRun)
  );
}

function isRun(value: unknown): boolean {
  return isObject(value) && ['id', 'jobId', 'status'].every((part) => isText(value[part]));
}

function isEnded(value: unknown): boolean {
  return (
    isObject(value) &&
    isText(value['actorId']) &&
    endReasons.some((reason) => reason === value['reason'])
  );
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
