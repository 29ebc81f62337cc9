/**
 * What commands print: results on stdout, messages on stderr. Tables fit the terminal and are tab-separated in a pipe;
 * `--json` prints one document instead.
 *
 * Text from servers and files may hold characters that control a terminal. Every line passes here and loses them, so
 * no command can forget it. Only `styled` lets escape sequences through, for the colours of this program.
 */

import { journalStream, noColor, type Flags } from '../../settings/config.ts';
import { escapeControls } from '../../domain/characters.ts';
import { systemClock } from '../../domain/clock.ts';
import { isJournal, priorities, withPriority } from '../../base/journal.ts';
import { cellText, coloured, cutCell, isCuttable, lengthOfShortIds } from './cell.ts';
import type { Cell, Id } from './cell.ts';
import { padTo, plain, plainText, widthOf, wrapTo } from './text.ts';

export interface Output {
  /** Whether stdout is a terminal. */
  readonly isTerminal: boolean;
  /** Columns of the terminal. */
  readonly width: number;
  readonly hasColour: boolean;
  /** Writes a line of results. */
  data(line: string): void;
  /** Writes a line of results that is already safe, and may be coloured. */
  styled(line: string): void;
  /** Writes a message for people. */
  say(line: string): void;
}

/** Known after the first cell: Node searches the environment each time it is asked. */
let knownColour: boolean | undefined;

/** The streams of this process. Colours need a terminal that has them, and no NO_COLOR (no-color.org). */
export const standardOutput: Output = {
  isTerminal: process.stdout.isTTY,
  get width() {
    return process.stdout.columns || 80;
  },
  get hasColour() {
    knownColour ??= process.stdout.isTTY && !noColor() && process.stdout.hasColors();
    return knownColour;
  },
  data: (line) => void process.stdout.write(`${plainText(line)}\n`),
  styled: (line) => void process.stdout.write(`${line}\n`),
  say: (line) => void process.stderr.write(`${plainText(line)}\n`),
};

/** Writes to stderr what went wrong; an error, where the journal reads it. */
export function sayError(line: string): void {
  const text = plainText(line);
  const written = isJournal(journalStream(), 2) ? withPriority(priorities.error, text) : text;
  process.stderr.write(`${written}\n`);
}

/** Columns of a table: each title with the cell of a row. */
export type Columns<Row> = Record<string, (row: Row) => Cell>;

export interface TableOptions {
  /** The message when there are no rows. */
  none?: string;
  /** Columns that a terminal does not show if nothing is in them, or it is narrow: the last of these is hidden first. */
  optional?: readonly string[];
  /** Columns that a text keeps before optional ones are hidden. */
  leastText?: number | undefined;
  /** Whether the last column wraps instead of being cut. */
  wrapsLast?: boolean;
  /** Whether ids are shown on each terminal, and whole. */
  isWide?: boolean;
}

/** Prints a table; a terminal that is too narrow for it gets each row as fields. */
export function printRows<Row>(
  output: Output,
  rows: readonly Row[],
  all: Columns<Row>,
  {
    none,
    optional = [],
    leastText = usualLeastText,
    wrapsLast = false,
    isWide = false,
  }: TableOptions = {},
): void {
  if (rows.length === 0 && none !== undefined) {
    output.say(none);
    return;
  }
  const now = systemClock.now();
  const columns = Object.entries(all).filter(
    ([title, cellOf]) =>
      !output.isTerminal || !optional.includes(title) || rows.some((row) => cellOf(row) !== null),
  );
  const titles = columns.map(([title]) => title);
  const whole = rows.map((row) => columns.map(([, cellOf]) => cellOf(row)));
  const cells = output.isTerminal && !isWide ? withShortIds(whole) : whole;
  const texts = cells.map((row) => row.map((cell) => cellText(output, cell, now)));
  if (!output.isTerminal) {
    for (const line of texts) output.data(line.join('\t'));
    return;
  }
  const needs = titles.map((title, index) => ({
    natural: Math.max(...[title, ...texts.map((row) => row[index] ?? '')].map(widthOf)),
    canShrink: !isIdTitle(title) && cells.some((row) => isCuttable(row[index] ?? null)),
    rank: isWide && isIdTitle(title) ? -1 : optional.indexOf(title),
  }));
  const widths = fitColumns(needs, output.width, leastText);
  if (widths === null) return printBlocks(output, titles, cells, texts);
  const printRow = (line: readonly string[], row: readonly Cell[]): void => {
    const shown = line.flatMap((text, index) => {
      const width = widths[index] ?? 0;
      const cell = row[index] ?? null;
      const isWhole = wrapsLast && index === line.length - 1;
      const fitted = isWhole ? text : padTo(cutCell(cell, text, width), width);
      return width === 0 ? [] : [coloured(output, cell, fitted)];
    });
    output.styled(shown.join(' '.repeat(gap)).trimEnd());
  };
  const head = titles.map((title) => title.toUpperCase());
  printRow(head, []);
  texts.forEach((line, index) => {
    const parts = wrapsLast ? wrapTo(line.at(-1) ?? '', widths.at(-1) ?? 0) : [line.at(-1) ?? ''];
    parts.forEach((part, number) => {
      const before = number === 0 ? line.slice(0, -1) : line.slice(0, -1).map(() => '');
      printRow([...before, part], cells[index] ?? []);
    });
  });
}

function isIdTitle(title: string): boolean {
  return /\bid$/.test(title);
}

function isId(cell: Cell | undefined): cell is Id {
  return cell !== null && typeof cell === 'object' && 'id' in cell;
}

function withShortIds(cells: readonly (readonly Cell[])[]): readonly (readonly Cell[])[] {
  const lengths = (cells[0] ?? []).map((_, column) =>
    lengthOfShortIds(
      cells.flatMap((row) => {
        const cell = row[column];
        return isId(cell) && cell.id !== null ? [cell.id] : [];
      }),
    ),
  );
  return cells.map((row) =>
    row.map((cell, column) => {
      if (!isId(cell) || cell.id === null) return cell;
      return { ...cell, id: cell.id.slice(0, lengths[column]) };
    }),
  );
}

function printBlocks(
  output: Output,
  titles: readonly string[],
  cells: readonly (readonly Cell[])[],
  texts: readonly (readonly string[])[],
): void {
  const width = Math.max(...titles.map(widthOf));
  texts.forEach((line, row) => {
    if (row > 0) output.data('');
    line.forEach((text, index) => {
      const value = coloured(output, cells[row]?.[index] ?? null, text);
      output.styled(`${padTo(titles[index] ?? '', width)}  ${value}`);
    });
  });
}

/** Prints the fields of one object, a line each. */
export function printFields(output: Output, fields: Record<string, Cell>): void {
  const now = systemClock.now();
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  for (const [name, value] of Object.entries(fields)) {
    const label = output.isTerminal ? `${name.padEnd(width)}  ` : `${name}\t`;
    output.styled(label + coloured(output, value, fieldText(output, value, now)));
  }
}

/** A time on a terminal is shown both ways: absolute and relative. */
function fieldText(output: Output, value: Cell, now: number): string {
  const text = cellText(output, value, now);
  const isMoment = value !== null && typeof value === 'object' && 'at' in value;
  return isMoment && output.isTerminal && value.at !== null ? `${plain(value.at)}, ${text}` : text;
}

/** Prints one JSON document. */
export function printJson(output: Output, document: unknown): void {
  output.data(escapeControls(JSON.stringify(document, null, output.isTerminal ? 2 : undefined)));
}

/** Prints one JSON document on one line (NDJSON). */
export function printLine(output: Output, document: unknown): void {
  output.data(escapeControls(JSON.stringify(document)));
}

/** Confirms what was done: `{ "ok": true }` as JSON, else a message. */
export function printDone(output: Output, flags: Flags, message: string): void {
  if (flags['json']) printJson(output, { ok: true });
  else output.say(message);
}

interface ColumnNeed {
  /** Columns of its longest cell, title included. */
  natural: number;
  /** Whether its text may be cut. */
  canShrink: boolean;
  /** The greatest is hidden first; -1 if it is always shown. */
  rank: number;
}

/** Columns between two columns of a table. */
const gap = 2;
/** Columns that a cut text keeps. */
const usualLeastText = 14;
/** Columns that the first column keeps, for commands take the name in it: as many as 40 have beside a status and a time. */
const keptName = 19;

/**
 * The width of each column, 0 for hidden ones; null if nothing fits. Texts are cut first, the longest most; then optional columns
 * are hidden.
 */
function fitColumns(
  needs: readonly ColumnNeed[],
  width: number,
  leastText: number,
): number[] | null {
  let shown = needs.map((): boolean => true);
  const least = (need: ColumnNeed): number => {
    const { natural, canShrink } = need;
    const kept = need === needs[0] ? Math.max(leastText, keptName) : leastText;
    return canShrink ? Math.min(natural, kept) : natural;
  };
  const sum = (of: (need: ColumnNeed) => number): number => {
    const kept = needs.filter((_, index) => shown[index]);
    return kept.reduce((total, need) => total + of(need) + gap, -gap);
  };
  while (sum(least) > width) {
    const rank = Math.max(...needs.map((need, index) => (shown[index] ? need.rank : -1)));
    if (rank === -1) return null;
    shown = needs.map((need, index) => shown[index] === true && need.rank !== rank);
  }
  const widths = needs.map(({ natural }, index) => (shown[index] ? natural : 0));
  for (let excess = sum(({ natural }) => natural) - width; excess > 0; excess -= 1) {
    const cuttable = needs.flatMap((need, index) => {
      const columns = widths[index] ?? 0;
      return need.canShrink && columns > least(need) ? [{ index, columns }] : [];
    });
    const [widest] = cuttable.toSorted((one, other) => other.columns - one.columns);
    if (widest !== undefined) widths[widest.index] = widest.columns - 1;
  }
  return widths;
}
