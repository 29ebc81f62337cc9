/** The command line's way to the API of a running jobd; typed by the contract. */

import type * as contract from '../../api/contract.ts';
import type * as monitors from '../../api/monitors/contract.ts';
import type { ClientConfig } from '../../profiles.ts';
import { errorCodes, JobdError } from '../../domain/errors.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import { keyPattern } from '../../domain/accounts/key.ts';
import type { Receipt } from '../../domain/receipts/receipt.ts';
import { exchange, exchangeFollowing } from './exchange.ts';
import type { Answer, Question } from './exchange.ts';

export interface Client {
  createJob(input: contract.JobInput): Promise<contract.Job>;
  /** All jobs, page after page. */
  listJobs(): AsyncGenerator<contract.Job>;
  getJob(id: string): Promise<contract.Job>;
  updateJob(id: string, update: contract.JobUpdate): Promise<contract.Job>;
  deleteJob(id: string): Promise<void>;
  runJob(id: string): Promise<contract.QueuedRun>;
  listRuns(jobId: string, limit: number, cursor?: string): Promise<contract.RunList>;
  getRun(jobId: string, runId: string): Promise<contract.Run>;
  getReceipt(jobId: string, runId: string): Promise<Receipt>;
  createMonitor(input: monitors.MonitorInput): Promise<monitors.Monitor>;
  /** All monitors, page after page. */
  listMonitors(): AsyncGenerator<monitors.Monitor>;
  getMonitor(id: string): Promise<monitors.Monitor>;
  updateMonitor(id: string, update: monitors.MonitorUpdate): Promise<monitors.Monitor>;
  deleteMonitor(id: string): Promise<void>;
  listPings(monitorId: string, limit: number): Promise<monitors.PingList>;
}

/** Longest wait for an answer, to its last byte. The API itself waits at most 5 s for anything. */
const longestAnswerMs = 30_000;

/** Asks the API; `path` is behind its prefix. Throws `JobdError` with the server's own sentence. */
export type Ask = <T>(method: string, path: string, body?: object) => Promise<T>;

/** Makes what asks the API of a server. */
export function createAsker(
  { url, apiKey }: ClientConfig,
  { timeoutMs = longestAnswerMs } = {},
): Ask {
  return (method, path, body) =>
    request(`${url}/api/v1${path}`, { method, apiKey, body, timeoutMs });
}

/** Makes a client. Its calls throw `JobdError` with the server's own sentence. */
export function createClient(config: ClientConfig, options: { timeoutMs?: number } = {}): Client {
  const ask = createAsker(config, options);
  return {
    async createJob(input) {
      return (await ask<contract.JobResponse>('POST', '/jobs', input)).job;
    },
    listJobs: () =>
      pages(async (query) => {
        const { jobs, nextCursor } = await ask<contract.JobList>('GET', `/jobs?${query}`);
        return { items: jobs, nextCursor };
      }),
    async getJob(id) {
      return (await ask<contract.JobResponse>('GET', `/jobs/${encodeURIComponent(id)}`)).job;
    },
    async updateJob(id, update) {
      const path = `/jobs/${encodeURIComponent(id)}`;
      return (await ask<contract.JobResponse>('PATCH', path, update)).job;
    },
    async deleteJob(id) {
      await ask<contract.Ok>('DELETE', `/jobs/${encodeURIComponent(id)}`);
    },
    runJob: (id) => ask('POST', `/jobs/${encodeURIComponent(id)}/run`),
    listRuns: (jobId, limit, cursor) => {
      const page = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      return ask('GET', `/jobs/${encodeURIComponent(jobId)}/runs?limit=${limit}${page}`);
    },
    async getRun(jobId, runId) {
      const path = `/jobs/${encodeURIComponent(jobId)}/runs/${encodeURIComponent(runId)}`;
      return (await ask<contract.RunResponse>('GET', path)).run;
    },
    getReceipt(jobId, runId) {
      const path = `/jobs/${encodeURIComponent(jobId)}/runs/${encodeURIComponent(runId)}`;
      return ask('GET', `${path}/receipt`);
    },
    async createMonitor(input) {
      return (await ask<monitors.MonitorResponse>('POST', '/monitors', input)).monitor;
    },
    listMonitors: () =>
      pages(async (query) => {
        const found = await ask<monitors.MonitorList>('GET', `/monitors?${query}`);
        return { items: found.monitors, nextCursor: found.nextCursor };
      }),
    async getMonitor(id) {
      return (await ask<monitors.MonitorResponse>('GET', monitorPath(id))).monitor;
    },
    async updateMonitor(id, update) {
      return (await ask<monitors.MonitorResponse>('PATCH', monitorPath(id), update)).monitor;
    },
    async deleteMonitor(id) {
      await ask<contract.Ok>('DELETE', monitorPath(id));
    },
    listPings: (monitorId, limit) => ask('GET', `${monitorPath(monitorId)}/pings?limit=${limit}`),
  };
}

function monitorPath(id: string): string {
  return `/monitors/${encodeURIComponent(id)}`;
}

/** Everything of a list, page after page. Throws `unreachable` if what answers is no jobd. */
export async function* pages<Item>(
  ask: (query: string) => Promise<{ items: Item[]; nextCursor: string | null }>,
): AsyncGenerator<Item> {
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: { items: Item[]; nextCursor: string | null } = await ask(`limit=100${query}`);
    // A page that comes again and again would never end.
    const isSame = cursor !== null && page.nextCursor === cursor;
    if (!Array.isArray(page.items) || isSame) {
      throw new JobdError('unreachable', 'the server does not answer as a jobd does');
    }
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== null);
}

/** Asks a ping URL once. Throws `JobdError`; `unreachable`, `unavailable`, `internal` and `rate_limited` may pass. */
export async function sendPing(
  url: string,
  { body, timeoutMs }: { body: string | null; timeoutMs: number },
): Promise<void> {
  const type = { 'content-type': 'text/plain; charset=utf-8' };
  const question = { method: 'POST', headers: body === null ? {} : type, body };
  const { status, text } = await reach(url, question, timeoutMs, exchangeFollowing);
  if (!isOk(status)) throw new JobdError(codeOf(status), messageOf(text, status, url));
}

interface Request {
  method: string;
  apiKey: string | null;
  body: object | undefined;
  timeoutMs: number;
}

async function request<T>(url: string, { method, apiKey, body, timeoutMs }: Request): Promise<T> {
  if (apiKey === null)
    throw new JobdError('unauthenticated', 'there is no key: say jobd login, or set JOBD_API_KEY');
  if (!keyPattern.test(apiKey)) {
    throw new JobdError(
      'unauthenticated',
      'the key (JOBD_API_KEY) must be cp_ and 64 hexadecimal digits',
    );
  }
  const headers = {
    authorization: `Bearer ${apiKey}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const question = { method, headers, body: body === undefined ? null : JSON.stringify(body) };
  const { status, text, retryAfterSeconds } = await reach(url, question, timeoutMs, exchange);
  if (isOk(status)) return parse(text, url) as T;
  throw new JobdError(codeOf(status), messageOf(text, status, url), { retryAfterSeconds });
}

/** The whole answer: one that breaks off, or is not there in time, is none. */
async function reach(
  url: string,
  question: Omit<Question, 'signal'>,
  timeoutMs: number,
  by: typeof exchange,
): Promise<Answer> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await by(url, { ...question, signal });
  } catch (error) {
    const { origin } = new URL(url);
    if (signal.aborted) {
      const asked = question.method === 'GET' ? '' : '; what was asked for may have been done';
      const sentence = `no answer from ${origin} within ${Math.round(timeoutMs / 100) / 10} s${asked}`;
      throw new JobdError('unreachable', sentence, { cause: error });
    }
    const { message, code } = error as NodeJS.ErrnoException;
    // Of a name with several addresses, all of which refuse, there is only a code.
    const why = message || code;
    throw new JobdError('unreachable', `no answer from ${origin}: ${why}; does jobd serve run?`, {
      cause: error,
    });
  }
}

function isOk(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Every answer of a jobd is a JSON object that says something. */
function parse(text: string, url: string): unknown {
  const value = jsonOf(text);
  const isAnswer = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  if (isAnswer) return value;
  throw new JobdError('unreachable', `${new URL(url).origin} does not answer as a jobd does`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function messageOf(text: string, status: number, url: string): string {
  try {
    const { error } = JSON.parse(text) as Partial<contract.ErrorBody>;
    if (typeof error === 'string') return error;
  } catch {
    // Whatever answered is no jobd: its status is all there is to tell.
  }
  return `${new URL(url).origin} answered with status ${status}`;
}

/** The code that the server meant by a status. */
export function codeOf(status: number): ErrorCode {
  const codes = Object.keys(errorCodes) as ErrorCode[];
  return codes.find((code) => errorCodes[code].httpStatus === status) ?? 'internal';
}
