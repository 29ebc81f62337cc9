/** A command line, or the command of a crontab, as the call that it makes. */

import { nameRule } from '../../domain/fields.ts';
import type { CrontabLine } from './crontab.ts';
import { readCurl } from './curl.ts';
import { readWget } from './wget.ts';
import { readShellCommand } from './words.ts';
import type { ReadCall } from './written-call.ts';

/** A command as it was read. */
export interface ReadCommand extends ReadCall {
  words: readonly string[];
  /** What it runs; null if that is neither curl nor wget. */
  tool: 'curl' | 'wget' | null;
}

/** Reads a command. Never throws: what cannot be honoured is listed, that of the shell first. */
export function readCommand(text: string): ReadCommand {
  const { words, ignored, unhonoured } = readShellCommand(text);
  const [program = '', ...rest] = words;
  const tool = toolOf(program);
  if (tool === null) return { words, tool, call: null, partial: null, ignored, unhonoured };
  const read = tool === 'curl' ? readCurl(rest) : readWget(rest);
  return {
    words,
    tool,
    call: unhonoured.length === 0 ? read.call : null,
    // What the shell does to the words is not known.
    partial: unhonoured.length === 0 ? read.partial : null,
    ignored: [...ignored, ...read.ignored],
    unhonoured: [...unhonoured, ...read.unhonoured],
  };
}

/** The tool that a program is, by its name or its path. */
export function toolOf(program: string): ReadCommand['tool'] {
  const name = program.split('/').at(-1);
  return name === 'curl' || name === 'wget' ? name : null;
}

/** Shells that read a command the same way. */
const knownShells = new Set(['sh', 'bash', 'dash', 'ash', 'ksh', 'zsh']);

/** Why the command of a line cannot be read by itself; null if it can. */
export function whyUncertain({
  input,
  settings,
}: Pick<CrontabLine, 'input' | 'settings'>): string | null {
  if (input !== null) return '% begins the standard input of the command; \\% is a percent sign';
  const shell = settings.get('SHELL')?.split('/').at(-1);
  const isKnown = shell === undefined || knownShells.has(shell);
  return isKnown ? null : 'SHELL names a shell that may read the command in another way';
}

/** A name for the job that makes a call: its host and path. */
export function nameOfCall(url: string): string {
  const { hostname, pathname } = new URL(url);
  return `${hostname}${pathname === '/' ? '' : pathname}`.slice(0, nameRule.maxLength);
}
