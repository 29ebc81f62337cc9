/** Computes the expected alerts of channels from the stored runs alone. */

/** A run that ended with an outcome. */
export interface EndedRun {
  id: string;
  jobId: string;
  status: 'success' | 'failed';
}

/** An alert by its data: the run gives its health change. */
export interface Change {
  type: 'job.failed' | 'job.recovered';
  jobId: string;
  runId: string;
}

/**
 * The health changes that a channel with this `afterFailures` (consecutive failures) must receive;
 * runs in the order in which they ended, each job by itself. A recovery counts after that many
 * failures, or after `recoversFrom` of them.
 */
export function changesIn(
  runs: readonly EndedRun[],
  afterFailures: number,
  recoversFrom = afterFailures,
): Change[] {
  const changes: Change[] = [];
  const failures = new Map<string, number>();
  for (const { id: runId, jobId, status } of runs) {
    const before = failures.get(jobId) ?? 0;
    failures.set(jobId, status === 'failed' ? before + 1 : 0);
    if (status === 'failed' && before + 1 === afterFailures) {
      changes.push({ type: 'job.failed', jobId, runId });
    }
    if (status === 'success' && before >= recoversFrom) {
      changes.push({ type: 'job.recovered', jobId, runId });
    }
  }
  return changes;
}

/** A request that a receiver got. */
export interface Heard extends Change {
  webhookId: string;
  isAcknowledged: boolean;
}

/** The errors in what a channel received, as sentences. */
export function wrongIn(expected: readonly Change[], heard: readonly Heard[]): string[] {
  const keyOf = ({ type, runId }: Change): string => `${type} of run ${runId}`;
  const wanted = new Set(expected.map(keyOf));
  const byKey = Map.groupBy(heard, keyOf);
  const byId = Map.groupBy(heard, ({ webhookId }) => webhookId);
  const wrong: string[] = [];
  for (const key of wanted) {
    if (byKey.get(key)?.some((one) => one.isAcknowledged) !== true) wrong.push(`${key} is missing`);
  }
  for (const [key, requests] of byKey) {
    if (!wanted.has(key)) wrong.push(`${key} is not a health change`);
    const ids = new Set(requests.map(({ webhookId }) => webhookId));
    if (ids.size > 1) wrong.push(`${key} came under ${ids.size} ids`);
  }
  for (const [id, requests] of byId) {
    if (new Set(requests.map(keyOf)).size > 1) wrong.push(`id ${id} is of different changes`);
  }
  return [...wrong, ...disorderIn(expected, heard)];
}

/**
 * The errors in what a channel received of jobs that flap, as sentences: each alert is of a health
 * change, has one id, and a different state than the previous one; the last one has the last state.
 */
export function wrongOfFlapping(changes: readonly Change[], heard: readonly Heard[]): string[] {
  const alerted = new Map(
    heard.filter(({ isAcknowledged }) => isAcknowledged).map((one) => [one.runId, one]),
  );
  const alertedChanges = changes.filter(({ runId }) => alerted.has(runId));
  const wrong = wrongIn(alertedChanges, heard);
  const ofJobs = Map.groupBy(alertedChanges, ({ jobId }) => jobId);
  for (const [jobId, alerts] of ofJobs) {
    const types = alerts.map(({ type }) => type);
    if (types.some((type, index) => type === types[index + 1])) {
      wrong.push(`alerts of job ${jobId} do not alternate: ${types.join()}`);
    }
  }
  for (const [jobId, of] of Map.groupBy(changes, (change) => change.jobId)) {
    const last = of.at(-1)?.type;
    // A recovery raises an alert only if its failure did.
    const lastTold = ofJobs.get(jobId)?.at(-1)?.type ?? 'job.recovered';
    if (lastTold !== last) wrong.push(`job ${jobId}: ${last} is missing`);
  }
  return wrong;
}

/** The alerts of one job must be acknowledged in the order of its health changes. */
function disorderIn(expected: readonly Change[], heard: readonly Heard[]): string[] {
  const firstOf = (changes: readonly Change[]): Map<string, string[]> => {
    const ofJobs = new Map<string, string[]>();
    for (const { jobId, runId } of changes) {
      const known = ofJobs.get(jobId) ?? [];
      if (!known.includes(runId)) ofJobs.set(jobId, [...known, runId]);
    }
    return ofJobs;
  };
  const came = firstOf(heard.filter(({ isAcknowledged }) => isAcknowledged));
  return [...firstOf(expected)].flatMap(([jobId, runIds]) => {
    const order = came.get(jobId) ?? [];
    return order.join() === runIds.join() ? [] : [`alerts of job ${jobId} came out of order`];
  });
}
