/**
 * How commands speak: data on stdout, words on stderr. A table is padded on a terminal and
 * tab-separated in a pipe; `--json` prints one document instead.
 */

import { stripVTControlCharacters } from 'node:util';

export interface Output {
  /** Whether a person reads the data. */
  readonly isTerminal: boolean;
  /** Writes data, a line. */
  data(line: string): void;
  /** Writes words for people, a line. */
  say(line: string): void;
}

/** The streams of this process. */
export const standardOutput: Output = {
  isTerminal: process.stdout.isTTY,
  data: (line) => void process.stdout.write(`${line}\n`),
  say: (line) => void process.stderr.write(`${line}\n`),
};

/** A column: its title, and the text of a row in it. */
export type Columns<Row> = Record<string, (row: Row) => string | number | null>;

/** Prints rows as a table. */
export function printRows<Row>(output: Output, rows: readonly Row[], columns: Columns<Row>): void {
  const cells = rows.map((row) =>
    Object.values(columns).map((cellOf) => plain(String(cellOf(row) ?? '-'))),
  );
  if (!output.isTerminal) {
    for (const line of cells) output.data(line.join('\t'));
    return;
  }
  const lines = [Object.keys(columns).map((title) => title.toUpperCase()), ...cells];
  const widths = Object.keys(columns).map((_, index) =>
    Math.max(...lines.map((line) => line[index]?.length ?? 0)),
  );
  for (const line of lines) {
    const padded = line.map((cell, index) => cell.padEnd(widths[index] ?? 0));
    output.data(padded.join('  ').trimEnd());
  }
}

/** Prints the fields of one thing, a line each. */
export function printFields(
  output: Output,
  fields: Record<string, string | number | boolean | null>,
): void {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  for (const [name, value] of Object.entries(fields)) {
    const label = output.isTerminal ? `${name.padEnd(width)}  ` : `${name}\t`;
    output.data(label + plain(String(value ?? '-')));
  }
}

/** Prints one JSON document. JSON leaves some control characters as they are; they are escaped too. */
export function printJson(output: Output, document: unknown): void {
  const json = JSON.stringify(document, null, output.isTerminal ? 2 : undefined);
  output.data(json.replace(/[\u007f-\u009f]/g, escaped));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Text of others on one line, without what would steer the terminal. */
export function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is taken out
  return stripVTControlCharacters(text).replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
}
