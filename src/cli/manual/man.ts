/** The manual page, in the man macros of roff (groff_man(7)), made from the commands themselves. */

import { allCommands, type CommandNode } from './command-tree.ts';
import { environment } from '../../settings/variables.ts';
import { exitCodes } from '../exit-codes.ts';

/** Makes the page. */
export function manPage(tree: CommandNode, version: string): string {
  const leaves = allCommands(tree).filter(({ children }) => children.length === 0);
  const lines = [
    `.TH JOBD 1 "" "jobd ${escape(version)}" "User Commands"`,
    '.SH NAME',
    'jobd \\- calls your URLs on a schedule and records every run',
    '.SH SYNOPSIS',
    '.B jobd',
    '.I command',
    '.RI [ options ]',
    '.SH DESCRIPTION',
    escape(tree.description),
    'Results go to standard output, messages to standard error. Tables are tab-separated in a pipe, and',
    '.B \\-\\-json',
    'prints one JSON document instead.',
    '.SH OPTIONS',
    ...optionsOf(tree),
    '.SH COMMANDS',
    ...leaves.flatMap(commandLines),
    '.SH ENVIRONMENT',
    ...environment.flatMap(([name, meaning]) => ['.TP', `.B ${escape(name)}`, escape(meaning)]),
    '.SH EXIT STATUS',
    ...exitCodes.flatMap(([code, meaning]) => ['.TP', `.B ${code}`, escape(meaning)]),
  ];
  return `${lines.join('\n')}\n`;
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

/** Escapes text so that roff sees no request in it, and dashes and quotes can be pasted. */
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
