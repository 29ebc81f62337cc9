/** The manual page, in the man macros of roff (groff_man(7)), made from the commands themselves. */

import { allCommands } from './command-tree.ts';
import type { CommandNode } from './command-tree.ts';
import { environment } from './environment.ts';
import { exitCodes } from './exit-codes.ts';

/** The page of this version. */
export function manPage(tree: CommandNode, version: string): string {
  const lines = [
    `.TH JOBD 1 "" "jobd ${escape(version)}" "User Commands"`,
    '.SH NAME',
    'jobd \\- calls URLs on schedule and records every run',
    '.SH SYNOPSIS',
    '.B jobd',
    '.I command',
    '.RI [ options ]',
    '.SH DESCRIPTION',
    escape(tree.description),
    'Data is printed on standard output and words on standard error; a table on a terminal is tab-separated in a pipe,',
    'and',
    '.B \\-\\-json',
    'prints one JSON document instead.',
    '.SH OPTIONS',
    ...optionsOf(tree),
    '.SH COMMANDS',
    ...allCommands(tree).filter(isLeaf).flatMap(commandLines),
    '.SH ENVIRONMENT',
    ...environment.flatMap(([name, means]) => ['.TP', `.B ${escape(name)}`, escape(means)]),
    '.SH EXIT STATUS',
    ...exitCodes.flatMap(([code, means]) => ['.TP', `.B ${code}`, escape(means)]),
  ];
  return `${lines.join('\n')}\n`;
}

function isLeaf({ children }: CommandNode): boolean {
  return children.length === 0;
}

function commandLines(node: CommandNode): string[] {
  const { usage, description, epilogue } = node;
  return [
    `.SS ${escape(usage.replace(' [options]', ''))}`,
    escape(description),
    ...optionsOf(node),
    ...(epilogue === '' ? [] : ['.PP', '.nf', ...epilogue.split('\n').map(escape), '.fi']),
  ];
}

function optionsOf({ options }: CommandNode): string[] {
  return options.flatMap(({ flags, description }) => [
    '.TP',
    `.B ${escape(flags)}`,
    escape(description),
  ]);
}

/** Nothing in the text is taken for a request, and a dash stays one that can be pasted. */
function escape(text: string): string {
  const line = text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('…', '...')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti');
  return line.startsWith('.') ? `\\&${line}` : line;
}
