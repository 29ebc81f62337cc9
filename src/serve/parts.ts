/** The third step of a daemon: all that is there before its server listens and its engine starts. */

import { createAdmissions } from '../app/accounts/admissions.ts';
import { createAuthenticate } from '../app/accounts/authenticate.ts';
import { createKeyUses } from '../app/accounts/key-uses.ts';
import type { App } from '../app/app.ts';
import type { HeldJobs } from '../app/jobs/held-jobs.ts';
import { createFigures } from '../app/operator/figures.ts';
import { createHealth } from '../app/operator/health.ts';
import { readPageFile, readVerifyScript } from '../base/built-files.ts';
import type { Log } from '../base/log.ts';
import { mostAttempts } from '../domain/alerts/delivery.ts';
import type { Finding } from '../domain/findings.ts';
import { shareOpenFiles, type OpenFiles } from '../domain/targets/open-files.ts';
import type { Egress } from '../egress/egress.ts';
import { createTargetJudge } from '../egress/judged-target.ts';
import { createMailer } from '../egress/mail.ts';
import type { ThreadOptions } from '../egress/threads.ts';
import { createMailAllowance } from '../engine/alerts/mail-limit.ts';
import { startLoop } from '../engine/loop.ts';
import { createSpaceWatch } from '../engine/upkeep/space-watch.ts';
import { startMeters, type Meters } from '../metrics/meter.ts';
import type { ServeConfig } from '../settings/config.ts';
import { findLatenessOfOthers } from '../store/nodes/nodes.ts';
import { version } from '../version.ts';
import type { EngineToCome } from './engine-to-come.ts';
import { openFilesLimit } from './file-limit.ts';
import { createChangeLog } from './log-changes.ts';
import type { Data, Keys } from './open.ts';
import type { OwnNode } from './own-node.ts';

/** What makes calls, and how many there may be. */
export type Calling = ReturnType<typeof prepareCalls>;

/** Starts what makes calls and sends mail. Nothing is called yet. */
export function prepareCalls(
  config: Pick<ServeConfig, 'allowTargets' | 'mailAllow' | 'slots' | 'slotsPerHost' | 'smtp'>,
  { store, clock }: Data,
  { log, startEgress }: { log: Log; startEgress: (options: ThreadOptions) => Egress },
  parts: AsyncDisposableStack,
) {
  const { allowTargets, mailAllow, slotsPerHost, smtp } = config;
  const files = shareFiles(config.slots, log);
  const options = { connectionsPerHost: slotsPerHost, userAgent: `jobd/${version}` };
  return {
    files,
    callOptions: options,
    egress: parts.use(startEgress({ ...options, allowTargets, idleConnections: files.idle })),
    mailer: smtp && parts.use(createMailer(smtp, { allow: mailAllow })),
    mailAllowance: createMailAllowance({ store, clock }),
  };
}

/** What counts the work, watches the space of the database, and knows what is wrong. */
export type Watching = Awaited<ReturnType<typeof startWatching>>;

/** Starts to count and to watch. Rejects if metrics cannot be served. */
export async function startWatching(
  { maxDatabaseBytes: limitBytes, metrics }: Pick<ServeConfig, 'maxDatabaseBytes' | 'metrics'>,
  { store, clock, dataDir }: Data,
  { log, engine, slots }: { log: Log; engine: EngineToCome; slots: number },
  parts: AsyncDisposableStack,
) {
  const removedEarly: Meters['removedEarly'] = (rows) => meter.removedEarly(rows);
  const space = createSpaceWatch({ store, clock, log, meter: { removedEarly }, limitBytes });
  const health = createHealth({
    store,
    clock,
    dataDir,
    own: () => [...engine.findings(), ...space.findings()],
    onChange: (begun, over) => logFindings(log, begun, over),
  });
  const isHealthy = (): boolean => health.problems().length === 0;
  const gauges = {
    slots: () => ({ used: engine.slotsUsed(), all: slots }),
    findings: health.known,
    isHealthy,
    limitBytes,
    stored: createFigures({ store, clock }),
    version,
  };
  const meter = parts.use(await startMeters({ clock, log, listen: metrics, gauges }));
  return { health, isHealthy, space, meter };
}

/** Says what checks begin and cease to find. */
function logFindings(log: Log, begun: readonly Finding[], over: readonly Finding[]): void {
  for (const { code, detail } of over) log.info({ code, error: detail }, 'this is over');
  for (const { code, result, facts, detail, notes } of begun) {
    const fields = { code, error: detail, facts, notes };
    if (result === 'fail') log.error(fields, 'see to this');
    else log.warn(fields, 'see to this');
  }
}

/** All that there is before the server. */
export interface Made extends Data, Keys, Calling, Watching, OwnNode {
  log: Log;
  engine: EngineToCome;
  heldJobs: HeldJobs;
}

/** Makes what use cases and routes act on. */
export function createApp(
  config: Pick<ServeConfig, 'allowTargets' | 'mailAllow' | 'slotsPerHost'>,
  made: Made,
  parts: AsyncDisposableStack,
): App {
  const { allowTargets, mailAllow, slotsPerHost } = config;
  const { store, clock, vault, log, engine, signer, events, membership, space } = made;
  const authenticate = createAuthenticate({ store, clock });
  const logChanges = createChangeLog(log);
  const keyUses = createKeyUses({ store, clock });
  parts.use(startLoop('key use', () => keyUses.write().then(() => Infinity), { log, clock }));
  return {
    store,
    vault,
    clock,
    allowTargets,
    judgeTarget: createTargetJudge(allowTargets),
    slots: { all: made.files.slots, perHost: slotsPerHost },
    mailAllow,
    mailWaitMs: made.mailAllowance.waitMs,
    wake(loop) {
      engine.wake(loop);
      made.wakeOthers(loop);
    },
    holdJob: made.heldJobs.hold,
    reportTokens: made.reportTokens,
    noteUse: keyUses.note,
    authenticate,
    admissions: createAdmissions({ store, clock, authenticate }),
    instance: {
      id: made.instanceId,
      version,
      startedAt: clock.now(),
      dataDir: made.dataDir,
      mailIsConfigured: made.mailer !== null,
    },
    events,
    // All that ends a session or revokes a key in this process comes by here, after its commit.
    onChanged: (entries, shortened) => {
      authenticate.onChanged(entries);
      events.audited(entries);
      logChanges(entries, shortened);
    },
    isSigning: signer !== null,
    signReceiptsOf: async (jobId) => {
      while (((await signer?.sign(jobId)) ?? 0) > 0);
    },
    verifyScript: readVerifyScript,
    pageFile: readPageFile,
    lateness: async () => {
      const { nodeId } = membership;
      const others = nodeId === null ? [] : await findLatenessOfOthers(store.db, nodeId);
      return made.meter.lateness(others);
    },
    health: made.health,
    trouble: () => membership.trouble,
    space,
  };
}

/** Shares the open files of this process between calls and clients. */
function shareFiles(slots: number, log: Log): OpenFiles {
  const limit = openFilesLimit();
  const files = shareOpenFiles(limit, slots, mostAttempts);
  if (files.slots < slots) {
    log.warn(
      { limit, slots: files.slots, wanted: slots },
      'the limit of open files allows fewer slots than wanted: raise it (LimitNOFILE= of a systemd unit, ulimit -n in a shell), or set fewer with --slots',
    );
  }
  return files;
}
