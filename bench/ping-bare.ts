/**
 * The yardstick of bench/ping, a process of its own: fastify with one handler, the statements prepared once
 * on the same kind of file. It finds the monitor by its ping id, keeps the ping, and the time of it with
 * the monitor. `own`: each ping in a transaction of its own; `batched`: those of one turn of the event loop
 * in one. What the ping means for the monitor is not looked at.
 */

import { join } from 'node:path';
import Database from 'better-sqlite3';
import { fastify } from 'fastify';
import { newId } from '../src/domain/id.ts';

const [dataDir = '', mode = 'own'] = process.argv.slice(2);
const database = new Database(join(dataDir, 'jobd.db'));
database.pragma('journal_mode = wal');
database.pragma('synchronous = full');
database.pragma('foreign_keys = on');

interface Pinged {
  id: string;
  ping_count: number;
}

const find = database.prepare<[string], Pinged>(
  'select id, ping_count from monitors where ping_id = ? and deleted_at is null',
);
const insert = database.prepare(
  `insert into pings (monitor_id, number, id, kind, exit_code, method, received_at, duration_ms, body, truncated)
   values (?, ?, ?, 'success', ?, 'POST', ?, null, null, 0)`,
);
const update = database.prepare(
  'update monitors set ping_count = ?, last_ping_at = ? where id = ?',
);

/** Whether there is such a monitor. */
function keep(pingId: string, exitCode: number): boolean {
  const monitor = find.get(pingId);
  if (monitor === undefined) return false;
  const now = Date.now();
  insert.run(monitor.id, monitor.ping_count + 1, newId(now), exitCode, now);
  update.run(monitor.ping_count + 1, now, monitor.id);
  return true;
}

const own = database.transaction(keep);
const all = database.transaction((batch: readonly Waiting[]) =>
  batch.map(({ pingId, exitCode }) => keep(pingId, exitCode)),
);

interface Waiting {
  pingId: string;
  exitCode: number;
  resolve: (isKept: boolean) => void;
}

let waiting: Waiting[] = [];

function keepBatch(): void {
  const batch = waiting;
  waiting = [];
  const kept = all.immediate(batch);
  for (const [index, { resolve }] of batch.entries()) resolve(kept[index] ?? false);
}

function keepBatched(pingId: string, exitCode: number): Promise<boolean> {
  return new Promise((resolve) => {
    if (waiting.length === 0) setImmediate(keepBatch);
    waiting.push({ pingId, exitCode, resolve });
  });
}

const server = fastify();
server.post<{ Params: { id: string; code: string } }>(
  '/ping/:id/:code',
  async ({ params }, reply) => {
    const exitCode = Number(params.code);
    const kept =
      mode === 'own' ? own.immediate(params.id, exitCode) : await keepBatched(params.id, exitCode);
    return kept ? { ok: true } : reply.code(404).send({ error: 'there is no monitor at this URL' });
  },
);

process.once('SIGTERM', () => {
  void server.close().then(() => database.close());
});
process.stdout.write(`${await server.listen({ host: '127.0.0.1', port: 0 })}\n`);
