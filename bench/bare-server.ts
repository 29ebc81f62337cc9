/**
 * The yardstick for requests, a process of its own: fastify with one handler an operation. It sends the statements of
 * jobd's store, prepared once, on the same kind of file, and writes its answers through jobd's schemas. It checks no key,
 * validates nothing, counts nothing and schedules nothing.
 */

import { join } from 'node:path';
import Database from 'better-sqlite3';
import { fastify } from 'fastify';
import { JobList, JobResponse } from '../src/api/jobs/contract.ts';
import { jobShape } from '../src/api/jobs/shape.ts';
import { newId } from '../src/domain/id.ts';
import { jobColumns, jobOf } from '../src/store/jobs/jobs.ts';

const database = new Database(join(process.argv[2] ?? '', 'jobd.db'));
database.pragma('journal_mode = wal');
database.pragma('synchronous = full');
database.pragma('foreign_keys = on');

type Row = Parameters<typeof jobOf>[0];
const [workspace] = database.prepare<[], { id: string }>('select id from workspaces').all();
const workspaceId = workspace?.id ?? '';

const get = database.prepare<[string, string], Row>(
  `select ${jobColumns.join(', ')} from "jobs" where "id" = ? and "workspace_id" = ? and "deleted_at" is null`,
);
const list = database.prepare<[string, number], Row>(
  `select ${jobColumns.join(', ')} from "jobs"
   where "workspace_id" = ? and "deleted_at" is null order by "id" desc limit ?`,
);
const insert = database.prepare<[object]>(
  `insert into "jobs" ("id", "workspace_id", "health", "created_at", "name", "url", "host", "method",
     "sealed", "schedule_type", "cron_expr", "timezone", "period_seconds", "anchor_at", "timeout_seconds", "retries",
     "notes", "paused", "next_run_at")
   values (@id, @workspace_id, @health, @created_at, @name, @url, @host, @method,
     @sealed, @schedule_type, @cron_expr, @timezone, @period_seconds, @anchor_at, @timeout_seconds, @retries,
     @notes, @paused, @next_run_at)`,
);
const pageSize = 50;
const dayMs = 86_400_000;

/** None of these jobs has headers or a body. */
function shapeOf(row: Row): ReturnType<typeof jobShape> {
  return jobShape({ ...jobOf(row), headers: {}, body: null });
}

const server = fastify();

server.get<{ Params: { id: string } }>(
  '/api/v1/jobs/:id',
  { schema: { response: { 200: JobResponse } } },
  async ({ params }, reply) => {
    const row = get.get(params.id, workspaceId);
    return row === undefined ? reply.code(404).send() : { job: shapeOf(row) };
  },
);

server.get('/api/v1/jobs', { schema: { response: { 200: JobList } } }, async () => {
  const rows = list.all(workspaceId, pageSize + 1);
  const jobs = rows.slice(0, pageSize).map((row) => shapeOf(row));
  const last = jobs.at(-1);
  const more = rows.length > pageSize && last !== undefined;
  return { jobs, nextCursor: more ? Buffer.from(last.id).toString('base64url') : null };
});

server.post<{ Body: Record<'name' | 'url' | 'timezone' | 'cronExpr', string> }>(
  '/api/v1/jobs',
  { schema: { response: { 201: JobResponse } } },
  async ({ body }, reply) => {
    const now = Date.now();
    const id = newId(now);
    insert.run({
      id,
      workspace_id: workspaceId,
      name: body.name,
      url: body.url,
      host: '127.0.0.1:9',
      method: 'GET',
      sealed: null,
      schedule_type: 'cron',
      cron_expr: body.cronExpr,
      timezone: body.timezone,
      period_seconds: null,
      anchor_at: now,
      timeout_seconds: 30,
      retries: 0,
      notes: '',
      paused: 0,
      health: 'new',
      next_run_at: now + dayMs,
      created_at: now,
    });
    const row = get.get(id, workspaceId);
    return row === undefined ? reply.code(500).send() : reply.code(201).send({ job: shapeOf(row) });
  },
);

// Pings: those of one turn of the event loop in one transaction. What a ping means for the monitor is not decided.

const findMonitor = database.prepare<[string], { id: string; ping_count: number }>(
  'select id, ping_count from monitors where ping_id = ? and deleted_at is null',
);
const insertPing = database.prepare(
  `insert into pings (monitor_id, number, id, kind, exit_code, method, received_at, duration_ms, body, truncated)
   values (?, ?, ?, 'success', ?, 'POST', ?, null, null, 0)`,
);
const updateMonitor = database.prepare(
  'update monitors set ping_count = ?, last_ping_at = ? where id = ?',
);

interface Ping {
  pingId: string;
  exitCode: number;
  resolve: (isKept: boolean) => void;
}

/** Returns whether there is such a monitor. */
function keepPing({ pingId, exitCode }: Ping): boolean {
  const monitor = findMonitor.get(pingId);
  if (monitor === undefined) return false;
  const now = Date.now();
  insertPing.run(monitor.id, monitor.ping_count + 1, newId(now), exitCode, now);
  updateMonitor.run(monitor.ping_count + 1, now, monitor.id);
  return true;
}

const keepPings = database.transaction((batch: readonly Ping[]) => batch.map(keepPing));
let waiting: Ping[] = [];

function keepWaiting(): void {
  const batch = waiting;
  waiting = [];
  const kept = keepPings.immediate(batch);
  for (const [index, { resolve }] of batch.entries()) resolve(kept[index] ?? false);
}

server.post<{ Params: { id: string; code: string } }>(
  '/ping/:id/:code',
  async ({ params }, reply) => {
    const isKept = await new Promise<boolean>((resolve) => {
      if (waiting.length === 0) setImmediate(keepWaiting);
      waiting.push({ pingId: params.id, exitCode: Number(params.code), resolve });
    });
    return isKept
      ? { ok: true }
      : reply.code(404).send({ error: 'there is no monitor at this URL' });
  },
);

process.once('SIGTERM', () => {
  void server.close().then(() => database.close());
});
process.stdout.write(`${await server.listen({ host: '127.0.0.1', port: 0 })}\n`);
