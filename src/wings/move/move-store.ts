/**
 * Moves a store from one kind of database to the other: copies every table, reads both sides again and compares them, checks
 * every chain of receipts, and marks the old one, so that it is not served beside the new one.
 *
 * The copy continues where it ended: its position is written in the transaction of each page. What it reads is one view of the old
 * store, which nobody serves meanwhile. docs/decisions/0049-two-databases.md#a-store-moves-by-pages-and-the-old-one-is-marked has the reasons.
 */

import { createHash } from 'node:crypto';
import { isoTime, type Clock } from '../../domain/clock.ts';
import { JobdError } from '../../domain/errors.ts';
import { nodeName } from '../../domain/nodes.ts';
import { findInstanceId } from '../../store/accounts/instance.ts';
import {
  appliedVersion,
  copyMark,
  findMove,
  newer,
  newestVersion,
  tablesIn,
} from '../../store/database/migrate.ts';
import type { Db } from '../../store/database/schema.ts';
import { advanceCopy, beginCopy, endCopy, findCopy, markMoved, unmarkMoved } from './marks.ts';
import type { Position } from './marks.ts';
import { countRows, createPageWriter, keyOf, readPage, textOf } from './pages.ts';
import type { Key, Row } from './pages.ts';
import { inSnapshot } from './snapshot.ts';
import { describeTables, type MovedTable } from './tables.ts';
import { findLiveNodes } from '../../store/nodes/nodes.ts';
import { isOnServer, openAsItIs, openForCopy } from '../../store/open.ts';
import { hasDatabase } from '../../store/sqlite/reader.ts';
import { listMasterKeys } from '../../store/secrets/master-keys.ts';
import { checkReceipts } from '../../app/operator/receipt-chains.ts';

export interface MovePlace {
  /** A data directory, or the URL of a server's database. */
  place: string;
  /** For people, without a password. */
  name: string;
}

/** An open database of a move. */
interface Side extends MovePlace {
  db: Db;
}

export interface Progress {
  step: 'copy' | 'compare' | 'receipts';
  table: string;
  rows: number;
  total: number;
}

export interface Moved {
  tables: { name: string; rows: number }[];
  /** SHA-256 over the rows of all tables, the same on both sides. */
  sha256: string;
  /** How many receipts are valid, each with its chain. */
  receipts: number;
  /** Ids of the master keys that its secrets need. */
  masterKeys: string[];
}

/** What a move needs beside its two sides. */
export interface MoveParts {
  clock: Clock;
  /** Called after each page. What it throws ends the move, which continues from there when it is begun again. */
  onProgress: (progress: Progress) => void;
  /** Rows that are read and written at a time. */
  pageRows?: number;
}

const usualPageRows = 1_000;

/**
 * Moves a store. Throws `not_found` if there is none, `conflict` if somebody serves it, if the target has something else in it, or
 * differs from the source in the end, and `unavailable` if a side cannot be used.
 */
export async function moveStore(from: MovePlace, to: MovePlace, parts: MoveParts): Promise<Moved> {
  requireFile(from);
  await using opened = await openAsItIs(from.place);
  // Before anything is made at the other side, and again once nobody can begin to serve it.
  await requireMovable({ ...from, db: opened.db });
  await using made = await openForCopy(to.place);
  const [source, target]: Side[] = [
    { ...from, db: opened.db },
    { ...to, db: made.db },
  ];
  if (source === undefined || target === undefined) throw new Error('a move has two sides');
  const moved = await inSnapshot(source.db, (tx) =>
    copyWhole({ ...source, db: tx }, target, parts),
  );
  // Not before the source is marked: at no moment can both be served.
  await endCopy(target.db);
  return moved;
}

/** Lets jobd serve a store again that was moved. Returns false if it was not. Throws `not_found` and `unavailable`. */
export async function reopenStore(place: MovePlace): Promise<boolean> {
  requireFile(place);
  await using opened = await openAsItIs(place.place);
  return await unmarkMoved(opened.db);
}

function requireFile({ place, name }: MovePlace): void {
  if (isOnServer(place) || hasDatabase(place)) return;
  throw new JobdError('not_found', `there is no database in ${name}`);
}

/** Copies what is not copied yet, compares everything, and marks the source. */
async function copyWhole(
  source: Side,
  target: Side,
  { clock, onProgress, pageRows = usualPageRows }: MoveParts,
): Promise<Moved> {
  const { db: from } = source;
  await requireMovable(source);
  await requireCopyIfMoved(source, target);
  await prepareTarget(target, await identityOf(from));
  const tables = await describeTables(isOnServer(source.place) ? target.db : from);
  const how = { tables, onProgress, pageRows };
  await copyTables(from, target.db, how);
  const compared = await compareTables(from, target, how);
  const receipts = await requireValidReceipts(target.db, onProgress);
  const masterKeys = await listMasterKeys(from);
  await markMoved(from, target.name, isoTime(clock.now()));
  return { ...compared, receipts, masterKeys };
}

async function requireMovable({ db: from, name, place }: Side): Promise<void> {
  const tables = await tablesIn(from);
  if (!tables.has('schema_migrations')) {
    throw new JobdError('not_found', `there is no store in ${name}`);
  }
  if (tables.has(copyMark)) {
    const sentence = `${name} is the unfinished copy of another store: run the command again that began it, or empty it`;
    throw new JobdError('conflict', sentence);
  }
  const version = await appliedVersion(from);
  if (version > newestVersion) throw newer(version);
  if (version < newestVersion) {
    const sentence = `${name} was last used by an older jobd: start jobd serve of this version with it once`;
    throw new JobdError('conflict', sentence);
  }
  const live = isOnServer(place) ? await findLiveNodes(from) : [];
  if (live.length === 0) return;
  const names = live.map(nodeName).join(', ');
  throw new JobdError('conflict', `jobd (${names}) serves ${name}, stop it first`);
}

/** A store that was moved may only finish the copy that it was moved to: any other one would be served beside it. */
async function requireCopyIfMoved({ db: from, name }: Side, target: Side): Promise<void> {
  const moved = await findMove(from);
  if (moved === null || (await findCopy(target.db)) !== null) return;
  throw new JobdError('conflict', `${name} cannot be moved: ${moved}`);
}

/** What tells one store from another: nothing else has the id of its installation, or of its first workspace. */
async function identityOf(from: Db): Promise<string> {
  const id = await findInstanceId(from);
  if (id !== null) return id;
  const first = await from
    .selectFrom('workspaces')
    .select('id')
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return first?.id ?? '';
}

/** Makes the tables of an empty target, or finds those of a copy that was not finished. */
async function prepareTarget({ db, name }: Side, source: string): Promise<void> {
  const tables = await tablesIn(db);
  if (tables.size === 0) {
    await beginCopy(db, source);
    return;
  }
  if (!tables.has(copyMark)) {
    throw new JobdError('conflict', `${name} is not empty: name a database without tables`);
  }
  const copy = await findCopy(db);
  if (copy?.source !== source) {
    throw new JobdError(
      'conflict',
      `${name} is the unfinished copy of another store: name a database without tables`,
    );
  }
}

interface Tables {
  tables: readonly MovedTable[];
  onProgress: (progress: Progress) => void;
  pageRows: number;
}

async function copyTables(
  from: Db,
  to: Db,
  { tables, onProgress, pageRows }: Tables,
): Promise<void> {
  const copy = await findCopy(to);
  let position: Position = copy?.position ?? { table: 0, after: null };
  for (let table = tables[position.table]; table !== undefined; table = tables[position.table]) {
    const write = createPageWriter(table);
    const progress = {
      step: 'copy',
      table: table.name,
      rows: position.after === null ? 0 : await countRows(to, table),
      total: await countRows(from, table),
    } as const;
    let { rows } = progress;
    for (;;) {
      const page = await readPage(from, table, position.after, pageRows);
      const last = page.at(-1);
      const isLast = page.length < pageRows || last === undefined;
      const next: Position = isLast
        ? { table: position.table + 1, after: null }
        : { table: position.table, after: keyOf(table, last) };
      await to.transaction().execute(async (tx) => {
        await advanceCopy(tx, position, next);
        if (page.length > 0) await write(tx, page);
      });
      position = next;
      rows += page.length;
      onProgress({ ...progress, rows });
      if (isLast) break;
    }
  }
}

async function compareTables(
  from: Db,
  target: Side,
  { tables, onProgress, pageRows }: Tables,
): Promise<Pick<Moved, 'tables' | 'sha256'>> {
  const hash = createHash('sha256');
  const counted: Moved['tables'] = [];
  for (const table of tables) {
    let rows = 0;
    let after: Key | null = null;
    hash.update(`${table.name}\n`);
    for (;;) {
      const [own, copied]: [Row[], Row[]] = await Promise.all([
        readPage(from, table, after, pageRows),
        readPage(target.db, table, after, pageRows),
      ]);
      for (let index = 0; index < Math.max(own.length, copied.length); index += 1) {
        const text = rowText(table, own[index]);
        if (text !== rowText(table, copied[index])) throw differs(table, target, own[index]);
        hash.update(`${text}\n`);
      }
      rows += own.length;
      onProgress({ step: 'compare', table: table.name, rows, total: rows });
      const last = own.at(-1);
      if (last === undefined || own.length < pageRows) break;
      after = keyOf(table, last);
    }
    counted.push({ name: table.name, rows });
  }
  return { tables: counted, sha256: hash.digest('hex') };
}

function rowText(table: MovedTable, row: Row | undefined): string {
  return row === undefined ? '' : textOf(table, row);
}

function differs(table: MovedTable, { name }: Side, row: Row | undefined): JobdError {
  const which = row === undefined ? 'has more rows' : `differs at ${keyOf(table, row).join(', ')}`;
  return new JobdError(
    'conflict',
    `the copy is not equal to the store: the table ${table.name} ${which}`,
    {
      notes: [
        'the store was used after the copy began, or somebody wrote to the copy',
        `nothing was changed in the store: empty ${name} and begin again`,
      ],
    },
  );
}

/** As many as any plan keeps of a job. */
const mostReceiptsOfJob = 1_000_000;

async function requireValidReceipts(
  to: Db,
  onProgress: (progress: Progress) => void,
): Promise<number> {
  const { receipts, checked, problem } = await checkReceipts(to, Infinity, {
    mostOfJob: mostReceiptsOfJob,
    onChecked: (rows, total) => onProgress({ step: 'receipts', table: 'receipts', rows, total }),
  });
  if (problem === null) return checked;
  throw new JobdError('conflict', `${problem} (${checked} of ${receipts} were checked)`, {
    notes: ['it is so in the store that was copied: jobd doctor and docs/receipts.md say more'],
  });
}
