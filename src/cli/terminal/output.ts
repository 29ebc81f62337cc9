/**
 * How commands speak: data on stdout, words on stderr. A table is fitted to a terminal and
 * tab-separated in a pipe; `--json` prints one document instead.
 *
 * Text of servers and files may hold characters that steer a terminal. They are removed here, from every line that is
 * written, so that no command can forget it. Only `styled` passes escape sequences, for the colours of this program.
 */

import { noColor } from '../../config.ts';
import { systemClock } from '../../domain/clock.ts';
import { cellText, coloured } from './cell.ts';
import type { Cell } from './cell.ts';
import { fitColumns, gap } from './layout.ts';
import { cutTo, padTo, plain, plainJson, plainText, widthOf, wrapTo } from './text.ts';

export interface Output {
  /** Whether a person reads the data. */
  readonly isTerminal: boolean;
  /** Columns of the terminal. */
  readonly width: number;
  /** Whether the data may have colours. */
  readonly hasColour: boolean;
  /** Writes data, a line. */
  data(line: string): void;
  /** The same for a line that was made plain and then coloured. */
  styled(line: string): void;
  /** Writes words for people, a line. */
  say(line: string): void;
}

/** Asked of the terminal once, and not for each cell: Node looks through the environment each time. */
let knownColour: boolean | undefined;

/**
 * The streams of this process. Colours are for terminals that have them, as Node sees it (TERM=dumb, COLORTERM, CI),
 * and never with NO_COLOR (no-color.org).
 */
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

/** A column: its title, and the cell of a row in it. */
export type Columns<Row> = Record<string, (row: Row) => Cell>;

export interface TableOptions {
  /** What is said on stderr when there are no rows. */
  none?: string;
  /** Columns that are left out on a terminal that has no room for them. */
  optional?: readonly string[];
  /** Whether the last column is shown whole, in as many lines as it needs, where others would be cut. */
  wrapsLast?: boolean;
}

/** Prints rows as a table; on a terminal too narrow for it, row after row as fields. */
export function printRows<Row>(
  output: Output,
  rows: readonly Row[],
  columns: Columns<Row>,
  { none, optional = [], wrapsLast = false }: TableOptions = {},
): void {
  if (rows.length === 0 && none !== undefined) {
    output.say(none);
    return;
  }
  const now = systemClock.now();
  const titles = Object.keys(columns);
  const cells = rows.map((row) => Object.values(columns).map((cellOf) => cellOf(row)));
  const texts = cells.map((row) => row.map((cell) => cellText(output, cell, now)));
  if (!output.isTerminal) {
    for (const line of texts) output.data(line.join('\t'));
    return;
  }
  const needs = titles.map((title, index) => ({
    natural: Math.max(...[title, ...texts.map((row) => row[index] ?? '')].map(widthOf)),
    canShrink: title !== 'id' && cells.some((row) => typeof row[index] === 'string'),
    isOptional: optional.includes(title),
  }));
  const widths = fitColumns(needs, output.width);
  if (widths === null) return printBlocks(output, titles, cells, texts);
  const printRow = (line: readonly string[], row: readonly Cell[]): void => {
    const shown = line.flatMap((text, index) => {
      const width = widths[index] ?? 0;
      const cell = row[index] ?? null;
      const isWhole = wrapsLast && index === line.length - 1;
      const fitted = isWhole ? text : padTo(cutTo(text, width), width);
      return width === 0 ? [] : [coloured(output, cell, fitted)];
    });
    output.styled(shown.join(' '.repeat(gap)).trimEnd());
  };
  printRow(
    titles.map((title) => title.toUpperCase()),
    [],
  );
  texts.forEach((line, index) => {
    const parts = wrapsLast ? wrapTo(line.at(-1) ?? '', widths.at(-1) ?? 0) : [line.at(-1) ?? ''];
    parts.forEach((part, number) => {
      const before = number === 0 ? line.slice(0, -1) : line.slice(0, -1).map(() => '');
      printRow([...before, part], cells[index] ?? []);
    });
  });
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

/** Prints the fields of one thing, a line each. */
export function printFields(output: Output, fields: Record<string, Cell>): void {
  const now = systemClock.now();
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  for (const [name, value] of Object.entries(fields)) {
    const label = output.isTerminal ? `${name.padEnd(width)}  ` : `${name}\t`;
    output.styled(label + coloured(output, value, fieldText(output, value, now)));
  }
}

/** There is room for both: the moment itself, and how far it is from now. */
function fieldText(output: Output, value: Cell, now: number): string {
  const text = cellText(output, value, now);
  const isMoment = value !== null && typeof value === 'object' && 'at' in value;
  return isMoment && output.isTerminal && value.at !== null ? `${plain(value.at)}, ${text}` : text;
}

/** Prints one JSON document. */
export function printJson(output: Output, document: unknown): void {
  output.data(plainJson(JSON.stringify(document, null, output.isTerminal ? 2 : undefined)));
}

/** Prints one JSON document of a stream, on one line (NDJSON). */
export function printLine(output: Output, document: unknown): void {
  output.data(plainJson(JSON.stringify(document)));
}
