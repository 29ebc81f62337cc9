/** The calls of the API that commands make, typed by its contract. */

import type { AuditEntry, AuditList } from '../../api/accounts/contract.ts';
import type * as alerts from '../../api/alerts/contract.ts';
import type { Job, JobInput, JobKept, JobUpdate } from '../../api/jobs/contract.ts';
import type {
  EndOfWait,
  ListedRun,
  QueuedRun,
  RunList,
  RunResponse,
  RunSummary,
} from '../../api/runs/contract.ts';
import type * as monitors from '../../api/monitors/contract.ts';
import type { DueTimes, JobActionResults, JobChain } from '../../api/jobs/extension-contract.ts';
import type { JobSummary, TroubleRow } from '../../api/overview/contract.ts';
import type { JobAction } from '../../domain/jobs/actions.ts';
import type { JobFilter } from '../../domain/jobs/listed-job.ts';
import type { Receipt } from '../../domain/proof/receipt.ts';
import { fieldOf, pages, type Ask } from './client.ts';
import { findOne, type Named } from './find.ts';
import { path, queryOf, type Filter } from './path.ts';
import { askOnce } from './retry.ts';

export type Noun = 'job' | 'monitor' | 'channel' | 'window';

/** What every resource of a workspace can do. */
export interface Collection<Item, Update> {
  /** Lists all of them, or those with some labels, page by page. */
  list(limits?: { selector: string | null }): AsyncGenerator<Item>;
  get(id: string): Promise<Item>;
  /** Finds one by its id, its name, or the beginning of its id. Throws `not_found`, or `invalid_input` for several. */
  find(text: string): Promise<Item>;
  /** Those with exactly this name, newest first. */
  named(name: string): Promise<Item[]>;
  update(id: string, update: Update): Promise<Item>;
  delete(id: string): Promise<void>;
}

export type Api = ReturnType<typeof createApi>;

/** Makes the calls to a server. They throw `JobdError` with the server's own message. */
export function createApi(ask: Ask) {
  return {
    /** Asks for what is in no list here. */
    ask,
    jobs: {
      ...collection<Job, JobUpdate>(ask, 'job'),
      create: async (input: JobInput) => madeJob(await askOnce<JobKept>(ask, '/jobs', input)),
      update: async (id: string, update: JobUpdate) =>
        madeJob(await ask<JobKept>('PATCH', path`/jobs/${id}`, update)),
      chain: (id: string) => ask<JobChain>('GET', path`/jobs/${id}/chain`),
      dueTimes: (id: string, count: number) =>
        ask<DueTimes>('GET', path`/jobs/${id}/due-times` + queryOf({ count })),
      /** What became of its results, newest first. */
      callbacks: (id: string, limit: number) =>
        ask<alerts.PostedResults>('GET', path`/jobs/${id}/callbacks` + queryOf({ limit })),
      run: (id: string) => askOnce<QueuedRun>(ask, path`/jobs/${id}/run`),
      /** All jobs within limits, as lists show them. */
      summaries: ({ status, selector }: { status: JobFilter | null; selector: string | null }) =>
        pages<JobSummary>(ask, `/overview/jobs${queryOf({ status, selector })}`, 'jobs'),
      /** Pauses, resumes, runs or deletes up to 100 jobs. */
      act: async (action: JobAction, ids: readonly string[]) =>
        fieldOf(await ask<JobActionResults>('POST', '/jobs/actions', { action, ids }), 'results'),
    },
    runs: {
      list: (jobId: string, limit: number, cursor?: string) =>
        ask<RunList>('GET', path`/jobs/${jobId}/runs` + queryOf({ limit, cursor })),
      all: (filter: Filter) => pages<ListedRun>(ask, `/runs${queryOf(filter)}`, 'runs'),
      /** The runs of a job without their answers, newest first. */
      history: (jobId: string, filter: Filter) =>
        pages<RunSummary>(ask, path`/jobs/${jobId}/history` + queryOf(filter), 'runs'),
      get: async (jobId: string, runId: string) =>
        fieldOf(await ask<RunResponse>('GET', path`/jobs/${jobId}/runs/${runId}`), 'run'),
      /** Ends the wait of a run in place of its target. */
      report: async (jobId: string, runId: string, end: EndOfWait) =>
        (await ask<RunResponse>('POST', path`/jobs/${jobId}/runs/${runId}/report`, end)).run,
      receipt: (jobId: string, runId: string) =>
        ask<Receipt>('GET', path`/jobs/${jobId}/runs/${runId}/receipt`),
    },
    /** What went wrong, once each, newest first. */
    trouble: (filter: Filter) =>
      pages<TroubleRow>(ask, `/overview/trouble${queryOf(filter)}`, 'trouble'),
    audit: (filter: Filter, limit: number) =>
      ask<AuditList>('GET', `/audit${queryOf({ limit, ...filter })}`),
    /** The whole trail, newest first. */
    auditTrail: () => pages<AuditEntry>(ask, '/audit', 'entries'),
    monitors: {
      ...collection<monitors.Monitor, monitors.MonitorUpdate>(ask, 'monitor'),
      create: async (input: monitors.MonitorInput) =>
        fieldOf(await askOnce<monitors.MonitorResponse>(ask, '/monitors', input), 'monitor'),
      pings: (id: string, limit: number) =>
        ask<monitors.PingList>('GET', path`/monitors/${id}/pings?limit=${limit}`),
    },
    channels: {
      ...collection<alerts.Channel, alerts.ChannelUpdate>(ask, 'channel'),
      create: (input: alerts.ChannelInput) => askOnce<alerts.ChannelMade>(ask, '/channels', input),
      test: async (id: string) =>
        (await ask<alerts.DeliveryResponse>('POST', path`/channels/${id}/test`)).delivery,
      deliveries: (id: string, limit: number, filter: Filter) =>
        ask<alerts.DeliveryList>(
          'GET',
          path`/channels/${id}/deliveries` + queryOf({ limit, ...filter }),
        ),
      allDeliveries: (limit: number, filter: Filter) =>
        ask<alerts.AllDeliveries>('GET', `/deliveries${queryOf({ limit, ...filter })}`),
      delivery: (id: string, deliveryId: string) =>
        ask<alerts.TriedDelivery>('GET', path`/channels/${id}/deliveries/${deliveryId}`),
    },
  };
}

/** A job with the secret that was made for its `onResult`, which is shown once. */
export interface MadeJob extends Job {
  onResultSecret?: string;
}

function madeJob({ job, onResultSecret }: JobKept): MadeJob {
  if (onResultSecret === undefined) return fieldOf({ job }, 'job');
  return { ...job, onResultSecret };
}

/** The calls for `/jobs`, `/monitors`, `/channels` and `/windows`, which answer in the same form. */
export function collection<Item extends Named, Update extends object>(
  ask: Ask,
  noun: Noun,
): Collection<Item, Update> {
  const one = (id: string): string => `/${noun}s/${encodeURIComponent(id)}`;
  const itemOf = (answer: Record<string, Item>): Item => fieldOf(answer, noun);
  const list = ({ selector } = { selector: null as string | null }): AsyncGenerator<Item> =>
    pages(ask, `/${noun}s${queryOf({ selector })}`, `${noun}s`);
  const get = async (id: string): Promise<Item> => itemOf(await ask('GET', one(id)));
  const page = async (filter: Filter, of: string = noun): Promise<Item[]> => {
    const address = `/${of}s${queryOf({ limit: 100, ...filter })}`;
    return fieldOf(await ask<Record<string, Item[]>>('GET', address), `${of}s`);
  };
  const other = { job: 'monitor', monitor: 'job', channel: undefined, window: undefined }[noun];
  return {
    list,
    get,
    find: (text) => findOne({ noun, other, get, page }, text),
    named: (name) => page({ name }),
    update: async (id, update) => itemOf(await ask('PATCH', one(id), update)),
    delete: async (id) => void (await ask('DELETE', one(id))),
  };
}
