/** The last step of a daemon: what it does by itself from now on. */

import { setFlagsFromString } from 'node:v8';
import type { Spans } from '../domain/runs/call-span.ts';
import { everywhere } from '../domain/targets/target.ts';
import type { Egress } from '../egress/egress.ts';
import { startEngine } from '../engine/engine.ts';
import { startLoop, type Step } from '../engine/loop.ts';
import { startHeartbeat } from '../engine/upkeep/heartbeat.ts';
import { leaveSigns } from '../engine/upkeep/signs.ts';
import type { ServeConfig } from '../settings/config.ts';
import { recordSiteUrl, recordStart } from '../store/accounts/instance.ts';
import type { Starting } from './house.ts';
import type { Made } from './parts.ts';
import { addedByWings } from './wings.ts';

/** How long a stop waits for calls in flight, in milliseconds (docs/behavior.md#run-4). */
export const drainMs = 30_000;
/**
 * For all threads (docs/decisions/0099-settings-that-were-measured.md). Old objects are collected once they have grown by half:
 * 50 MB less in a storm. A function is compiled for the second time, by TurboFan, when it has run 100,000 times and not 3,000:
 * in a storm the compiler takes the processors from the calls, and what Maglev made is nearly as fast. Set when all code is
 * loaded, since V8 refuses code caches that were made without the flags.
 */
const v8Flags = ['--heap-growing-percent=50', '--invocation-count-for-turbofan=100000'];

/** Keeps for other commands where people reach this daemon, and the limit of its database. */
export async function recordBeginning(
  { store, clock, log, space }: Made,
  site: { siteUrl: string; isGuess: boolean },
  parts: AsyncDisposableStack,
): Promise<void> {
  await recordStart(store, space.limitBytes).catch((error: unknown) =>
    log.warn({ err: error }, 'jobd doctor does not know the limit of the database'),
  );
  // On a full disk calls come first: `jobd open` knows the new URL once there is space.
  const keepUrl = (): Promise<void> => recordSiteUrl(store, site);
  await keepUrl().catch(() =>
    parts.use(startLoop('site URL', () => keepUrl().then(() => Infinity), { log, clock })),
  );
}

/** The settings of the loops of a daemon and of wings. */
type Settings = Starting['config'] &
  Pick<ServeConfig, 'slotsPerHost' | 'traceContext' | 'heartbeatUrl'>;

/** Starts what wings do, the engine and the heartbeat. */
export async function startLoops(
  config: Settings,
  made: Made & { random: () => number },
  siteUrl: () => string,
  parts: AsyncDisposableStack,
): Promise<void> {
  const { clock, log, engine, files, health, heldJobs, isHealthy, reportTokens } = made;
  const callAnywhere = callsAnywhere(made, parts);
  // Before the engine: what wings still do with the last calls is done when it has stopped.
  const added = await startWings(config, made, callAnywhere, parts);
  const started = startEngine({
    ...made,
    ...added,
    changes: made.events,
    slots: files.slots,
    slotsPerHost: config.slotsPerHost,
    heldJobs: heldJobs.ids,
    traceContext: config.traceContext,
    siteUrl,
    reportUrlOf: (runId) => `${siteUrl()}/report/${reportTokens.tokenOf(runId)}`,
    drainMs,
  });
  engine.started(parts.use(started));
  if (made.dataDir !== null) parts.use(leaveSigns({ ...made, dataDir: made.dataDir }));
  parts.use(startLoop('health', health.check, { log, clock }));
  const { heartbeatUrl: url } = config;
  if (url === null) return;
  parts.use(startHeartbeat({ url, egress: await callAnywhere(), clock, log, isHealthy }));
}

/** To be called when all code is loaded. */
export function tuneEngineOfCode(): void {
  for (const flag of v8Flags) setFlagsFromString(flag);
}

/** Makes calls for the operator, whose own URLs may lead anywhere. Loaded for the first one. */
function callsAnywhere({ callOptions }: Made, parts: AsyncDisposableStack): () => Promise<Egress> {
  let anywhere: Promise<Egress> | undefined;
  return () =>
    (anywhere ??= import('../egress/egress.ts').then(({ createEgress }) =>
      parts.use(createEgress({ ...callOptions, allowTargets: everywhere })),
    ));
}

async function startWings(
  config: Starting['config'],
  made: Made,
  callAnywhere: () => Promise<Egress>,
  parts: AsyncDisposableStack,
): Promise<{ spans: Spans | null; duties: Map<string, Step> }> {
  let spans: Spans | null = null;
  const duties = new Map<string, Step>();
  const starting: Starting = {
    ...made,
    config,
    callAnywhere,
    use: (part) => parts.use(part),
    addDuty: (name, step) => void duties.set(name, step),
    takeSpans: (taker) => void (spans = taker),
  };
  for (const load of addedByWings.daemon) await (await load())(starting);
  return { spans, duties };
}
