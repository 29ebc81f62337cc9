/** What changed in a workspace: ids of what to ask again, not what it is now. */

import { isFinal, type RunStatus } from './runs/run.ts';

/** A run, and so its job. */
export interface ChangedRun {
  id: string;
  jobId: string;
  status: RunStatus;
}

/** Jobs and monitors that were edited, pinged or planned again, runs, and channels that were edited or used. */
export interface Changed {
  jobs: string[];
  runs: ChangedRun[];
  monitors: string[];
  channels: string[];
}

/** What changed in a workspace; null where that is too much to name. */
export type WorkspaceChange = readonly [workspaceId: string, changed: Partial<Changed> | null];

/** Where the engine and the use cases say what changed. To be called after the commit. */
export interface ChangeFeed {
  /** Whether anybody listens. Nobody needs to publish otherwise. */
  readonly isHeard: boolean;
  publish(...change: WorkspaceChange): void;
  /** Anything may have changed, in any workspace. */
  publishAll(): void;
}

/** More ids than this are not gathered: asking for everything again costs less. */
export const mostChangedIds = 200;

/** Changes of one workspace that become one event. Its size is bounded. */
export interface GatheredChanges {
  /** Null gives up the ids. */
  add(changed: Partial<Changed> | null): void;
  /** What was added, each id once; null if that is too much to name. */
  all(): Changed | null;
}

/** Gathers changes, nothing at first. */
export function gatherChanges(): GatheredChanges {
  const jobs = new Set<string>();
  const runs = new Map<string, ChangedRun>();
  const monitors = new Set<string>();
  const channels = new Set<string>();
  const groups = [jobs, runs, monitors, channels];
  let isEverything = false;

  /** Whoever reads a run before its end may publish after it. An end stays one. */
  function addRun(run: ChangedRun): void {
    const known = runs.get(run.id);
    if (known === undefined || !isFinal(known.status)) runs.set(run.id, run);
  }

  function addEverything(): void {
    isEverything = true;
    for (const group of groups) group.clear();
  }

  return {
    add(changed) {
      if (isEverything) return;
      if (changed === null) return addEverything();
      for (const run of changed.runs ?? []) addRun(run);
      for (const id of changed.jobs ?? []) jobs.add(id);
      for (const id of changed.monitors ?? []) monitors.add(id);
      for (const id of changed.channels ?? []) channels.add(id);
      const size = groups.reduce((sum, group) => sum + group.size, 0);
      if (size > mostChangedIds) addEverything();
    },
    all: () =>
      isEverything
        ? null
        : {
            jobs: [...jobs],
            runs: [...runs.values()],
            monitors: [...monitors],
            channels: [...channels],
          },
  };
}
