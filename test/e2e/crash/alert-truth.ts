/** What channels must have heard, worked out from the runs as they are stored and nothing else. */

/** A run that ended with an outcome. */
export interface EndedRun {
  id: string;
  jobId: string;
  status: 'success' | 'failed';
}

/** An alert by its data: its run says which change it is of. */
export interface Change {
  type: 'job.failed' | 'job.recovered';
  jobId: string;
  runId: string;
}

/**
 * The changes that a channel is alerted of that waits for `afterFailures` consecutive failures; runs in the order in which they
 * ended. Job by job, each in its order. A recovery is one after so many failures, or after `recoversFrom` of them.
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

/** What is wrong with what a channel heard, in sentences. */
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
    if (!wanted.has(key)) wrong.push(`${key} is no health change`);
    const ids = new Set(requests.map(({ webhookId }) => webhookId));
    if (ids.size > 1) wrong.push(`${key} came under ${ids.size} ids`);
  }
  for (const [id, requests] of byId) {
    if (new Set(requests.map(keyOf)).size > 1) wrong.push(`id ${id} is of different changes`);
  }
  return [...wrong, ...disorderIn(expected, heard)];
}

/**
 * What is wrong with what a channel heard of jobs that flap, in sentences: each alert is of a change, comes under one id, and
 * is of another state than the one before; the last one is of the last change's state.
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
    // A recovery is alerted only if its failure was.
    const lastTold = ofJobs.get(jobId)?.at(-1)?.type ?? 'job.recovered';
    if (lastTold !== last) wrong.push(`job ${jobId}: ${last} is missing`);
  }
  return wrong;
}

/** The alerts of one job must have been acknowledged in the order of its changes. */
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
