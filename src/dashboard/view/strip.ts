/** The strip of a row: its newest runs as bars, each status with a shape of its own. */

/** The size of the drawing, in pixels. */
export interface Strip {
  width: number;
  height: number;
  /** Path data to fill, by status; `empty` where no run was. Statuses without a bar are left out. */
  paths: Partial<Record<BarStatus, string>>;
}

export type BarStatus =
  | 'success'
  | 'failed'
  | 'missed'
  | 'made_up'
  | 'interrupted'
  | 'running'
  | 'empty';

const height = 18;
const barWidth = 4;
const gap = 2;

const rectangle = (x: number, y: number, tall: number): string =>
  `M${x} ${y}h${barWidth}v${tall}h-${barWidth}z`;

const shapes: Record<BarStatus, (x: number) => string> = {
  success: (x) => rectangle(x, 7, 11),
  failed: (x) => rectangle(x, 0, height),
  // Nothing was called: the inside is cut out, as it turns the other way.
  missed: (x) => `${rectangle(x, 0, height)}M${x + 1} 1v16h2v-16z`,
  // The same, shorter, above an arrow to a later run.
  made_up: (x) => `M${x} 0h4v11h-4zM${x + 1} 1v9h2v-9zM${x} 12.5l5 2.75-5 2.75z`,
  interrupted: (x) => rectangle(x, 0, 7) + rectangle(x, 11, 7),
  running: (x) => rectangle(x, 14, 4),
  empty: (x) => rectangle(x, 16, 2),
};

/** What a status is drawn as. `fail` is the word of a ping. */
function barOf(status: string | undefined): BarStatus {
  if (status === undefined) return 'empty';
  if (status === 'fail') return 'failed';
  if (status === 'queued') return 'running';
  return Object.hasOwn(shapes, status) ? (status as BarStatus) : 'empty';
}

/** Draws statuses, oldest first, as `width` bars with the newest at the right. */
export function strip(recent: readonly string[], { width = 30 } = {}): Strip {
  const paths: Strip['paths'] = {};
  for (let bar = 0; bar < width; bar += 1) {
    const status = barOf(recent[recent.length - width + bar]);
    paths[status] = (paths[status] ?? '') + shapes[status](bar * (barWidth + gap));
  }
  return { width: width * (barWidth + gap) - gap, height, paths };
}

/** A job whose results change more often than this is called flapping. */
const mostChanges = 3;

/** How many of the newest runs failed, of a job that keeps changing between success and failure; null for any other. */
export function flapping(recent: readonly string[]): { failed: number; of: number } | null {
  const results = recent.filter((status) => status === 'success' || status === 'failed');
  const changes = results.filter((result, at) => at > 0 && result !== results[at - 1]).length;
  const failed = results.filter((result) => result === 'failed').length;
  return changes > mostChanges ? { failed, of: results.length } : null;
}

const order = ['success', 'failed', 'interrupted', 'missed', 'made_up', 'running', 'queued'];

/** The strip for readers: `last 30 runs: 26 success, 3 failed, 1 missed`. */
export function stripLabel(recent: readonly string[], noun = 'run'): string {
  if (recent.length === 0) return `no ${noun} yet`;
  const statuses = recent.map((status) => (status === 'fail' ? 'failed' : status));
  if (statuses.length === 1) return `last ${noun}: ${statuses[0]}`;
  const counts = order.flatMap((status) => {
    const count = statuses.filter((other) => other === status).length;
    return count === 0 ? [] : [`${count} ${status.replace('made_up', 'missed and made up for')}`];
  });
  return `last ${recent.length} ${noun}s: ${counts.join(', ')}`;
}
