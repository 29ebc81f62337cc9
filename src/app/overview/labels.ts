/** The labels of a workspace, with how many jobs and monitors have each. */

import { setImmediate } from 'node:timers/promises';
import { labelsIn } from '../../domain/labels.ts';
import { afterAllIds } from '../../store/database/named.ts';
import { listLabels, type LabelledRow } from '../../store/overview/labels.ts';
import type { Ground, Principal } from '../app.ts';
import { labelledPerStep } from '../steps.ts';
import { keptIn, type Kept } from './kept.ts';

/** A label, and how many have it. Paused ones are not down. */
export interface LabelCounts {
  key: string;
  value: string;
  jobs: number;
  down: number;
  monitors: number;
  monitorsDown: number;
}

export interface LabelOverview {
  /** Ordered by key and value. */
  labels: LabelCounts[];
  /** Whether only the newest jobs, monitors or the first labels were counted. */
  isPartial: boolean;
}

/** The most jobs that are read, and the most monitors, in steps. */
const mostRows = 10_000;
const mostLabels = 1_000;
/** The most that are counted to find the first of them; others are then passed over. */
const mostCounted = 5_000;
/** How long it is good for, so that many viewers cost no more than one. */
const goodForMs = 5_000;

/** Makes a function that returns the labels of the principal's workspace. */
export function createLabelOverview({ store: { db }, clock }: Ground) {
  const overviews = new Map<string, Kept<Promise<LabelOverview>>>();

  async function countIn(workspaceId: string): Promise<LabelOverview> {
    const counts = new Map<string, LabelCounts>();
    let isPartial = false;
    for (const table of ['jobs', 'monitors'] as const) {
      let before: string | null = afterAllIds;
      for (let read = 0; before !== null && read < mostRows; read += labelledPerStep) {
        const page = { before, limit: labelledPerStep };
        const rows = await listLabels(db, table, workspaceId, page);
        for (const row of rows) {
          for (const sum of countsOf(counts, row)) {
            sum[table] += 1;
            sum[table === 'jobs' ? 'down' : 'monitorsDown'] += row.isDown;
          }
        }
        before = (rows.length === labelledPerStep && rows.at(-1)?.id) || null;
        await setImmediate();
      }
      isPartial ||= before !== null;
    }
    const names = [...counts.keys()].toSorted();
    const labels = names.slice(0, mostLabels).flatMap((name) => counts.get(name) ?? []);
    return { labels, isPartial: isPartial || counts.size > mostLabels };
  }

  return async ({ workspaceId }: Pick<Principal, 'workspaceId'>): Promise<LabelOverview> => {
    const at = clock.monotonicMs();
    return await keptIn(overviews, workspaceId, at, goodForMs, () => countIn(workspaceId));
  };
}

/** The counts of the labels of a row. New ones are added, unless too many are counted already. */
function countsOf(counts: Map<string, LabelCounts>, { labels }: LabelledRow): LabelCounts[] {
  return Object.entries(labelsIn(labels) ?? {}).flatMap(([key, value]) => {
    const name = `${key}=${value}`;
    if (!counts.has(name) && counts.size < mostCounted) {
      counts.set(name, { key, value, jobs: 0, down: 0, monitors: 0, monitorsDown: 0 });
    }
    return counts.get(name) ?? [];
  });
}
