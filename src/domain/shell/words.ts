/**
 * The words of one simple command as a POSIX shell reads them (POSIX.1-2024 Shell Command Language, 2.2 quoting,
 * 2.3 token recognition, 2.6 expansions, 2.7 redirection). Only what the text itself says is read: where the
 * shell would put something in from outside, or run something else too, that is reported and never guessed.
 */

import { readAnsiCQuotes } from './ansi-c-quotes.ts';
import type { Remark } from './remark.ts';
import { changesNothing, noFiles } from './reasons.ts';

/** A command; its words are what the shell would make of them only if nothing is unhonoured. */
export interface ShellCommand {
  words: readonly string[];
  /** Redirections that change nothing about what the command sends. */
  ignored: readonly Remark[];
  /** What depends on more than the text, or asks for more than one command. */
  unhonoured: readonly Remark[];
}

interface Scan {
  readonly text: string;
  at: number;
  /** The word that is being read; null between words. */
  word: string | null;
  /** Whether a part of it was quoted. */
  isQuoted: boolean;
  /** The redirection whose file the next word is. */
  redirection: { written: string; operator: string } | null;
  words: string[];
  ignored: Remark[];
  unhonoured: Remark[];
}

/** Reads a command. Never throws: what cannot be read is unhonoured. */
export function readShellCommand(text: string): ShellCommand {
  const scan: Scan = {
    text,
    at: 0,
    word: null,
    isQuoted: false,
    redirection: null,
    words: [],
    ignored: [],
    unhonoured: [],
  };
  while (scan.at < text.length) readNext(scan);
  endRedirection(scan);
  const { words, ignored, unhonoured } = scan;
  return { words, ignored, unhonoured };
}

function readNext(scan: Scan): void {
  const { text, at } = scan;
  const character = text[at] ?? '';
  if (character === '\\') return readBackslash(scan);
  if (character === "'") return readSingleQuotes(scan);
  if (character === '"') return readDoubleQuotes(scan);
  if (character === '$') return readDollar(scan);
  if (character === '`') return readExpansion(scan, 'jobd runs no commands');
  if (character === ' ' || character === '\t') {
    endWord(scan);
    scan.at += 1;
    return;
  }
  if (character === '\n') return readLineEnd(scan);
  if (character === '#' && scan.word === null) {
    scan.at += /^[^\n]*/.exec(text.slice(at))?.[0].length ?? 0;
    return;
  }
  if (character === '<' || character === '>' || text.startsWith('&>', at)) {
    return readRedirection(scan);
  }
  if ('|&;()'.includes(character)) return readOperator(scan);
  judgeUnquoted(scan, character);
  append(scan, character);
  scan.at += 1;
}

/** What a word is so far where bash takes a `~` behind it for a directory. */
const isAssignment = /^[A-Za-z_]\w*\+?=(?:.*:)?$/s;

/** Characters that mean more than themselves where they stand. A pattern that no file matches is left as it is. */
function judgeUnquoted(scan: Scan, character: string): void {
  const isFirst = scan.word === null;
  // Only where it is told: to look for the end of the word at each character costs the square of its length.
  const reportRest = (reason: string): void =>
    report(scan, /^[^\s]*/.exec(scan.text.slice(scan.at))?.[0] ?? character, reason);
  if (character === '\r') {
    report(scan, 'a carriage return', 'the shell takes it for a letter: save the text with LF');
  } else if (character === '~' && (isFirst || isAssignment.test(scan.word ?? ''))) {
    reportRest('it stands for a directory of one machine');
  } else if ('*?['.includes(character) && isFirst) {
    reportRest('it stands for files of one directory: put it in quotes');
  } else if (character === '{' && scan.text[scan.at + 1] !== '}') {
    reportRest('shells differ on braces: put them in quotes');
  }
}

function append(scan: Scan, text: string, isQuoted = false): void {
  scan.word = (scan.word ?? '') + text;
  scan.isQuoted ||= isQuoted;
}

function report(scan: Scan, text: string, reason: string): void {
  scan.unhonoured.push({ text: cut(text), reason });
}

/** On one line, and no longer than what helps to find it. */
function cut(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 60)}…` : line;
}

function endWord(scan: Scan): void {
  const { word, redirection } = scan;
  if (word === null) return;
  if (redirection === null) scan.words.push(word);
  else judgeRedirection(scan, redirection, word);
  scan.word = null;
  scan.isQuoted = false;
  scan.redirection = null;
}

/** Where no word can follow any more. */
function endRedirection(scan: Scan): void {
  endWord(scan);
  if (scan.redirection === null) return;
  report(scan, scan.redirection.written, 'a redirection needs a file');
  scan.redirection = null;
}

function readBackslash(scan: Scan): void {
  const next = scan.text.codePointAt(scan.at + 1);
  if (next === undefined) {
    report(scan, '\\', 'the line goes on behind it, and there is no more');
    scan.at += 1;
    return;
  }
  const character = String.fromCodePoint(next);
  // Before a line's end it joins the lines, in the middle of a word too.
  if (character !== '\n') append(scan, character, true);
  if (character === '\r')
    report(scan, 'a carriage return', 'it ends no line: save the text with LF');
  scan.at += 1 + character.length;
}

function readSingleQuotes(scan: Scan): void {
  const end = scan.text.indexOf("'", scan.at + 1);
  if (end === -1) return leaveOpen(scan, "'");
  append(scan, scan.text.slice(scan.at + 1, end), true);
  scan.at = end + 1;
}

function leaveOpen(scan: Scan, quote: string): void {
  report(scan, scan.text.slice(scan.at), `its ${quote} is never closed`);
  append(scan, scan.text.slice(scan.at), true);
  scan.at = scan.text.length;
}

function readDoubleQuotes(scan: Scan): void {
  const begin = scan.at;
  append(scan, '', true);
  scan.at += 1;
  while (scan.at < scan.text.length) {
    const character = scan.text[scan.at] ?? '';
    if (character === '"') {
      scan.at += 1;
      return;
    }
    if (character === '$' && scan.text[scan.at + 1] !== '"') {
      readExpansion(scan, noVariables);
    } else if (character === '`') {
      readExpansion(scan, 'jobd runs no commands');
    } else if (character === '\\') {
      const next = scan.text[scan.at + 1] ?? '';
      if (next !== '\n') append(scan, '$`"\\'.includes(next) ? next : character + next);
      scan.at += 2;
    } else {
      append(scan, character);
      scan.at += 1;
    }
  }
  scan.at = begin;
  leaveOpen(scan, '"');
}

const noVariables = 'jobd knows no variables of a shell: put the value in its place';

function readDollar(scan: Scan): void {
  const next = scan.text[scan.at + 1];
  if (next === '"') return readExpansion(scan, 'jobd translates nothing');
  if (next !== "'") return readExpansion(scan, noVariables);
  const quoted = readAnsiCQuotes(scan.text, scan.at + 2);
  if (quoted === null) return leaveOpen(scan, "$'");
  const { value, end, problem } = quoted;
  if (problem !== null) report(scan, scan.text.slice(scan.at, end), problem);
  append(scan, value, true);
  scan.at = end;
}

/** Names, special parameters, and what brackets hold (2.5, 2.6); for telling what it is, not for reading it. */
const expansion =
  /^(?:\$(?:[A-Za-z_]\w*|[0-9@*#?$!-]|\{[^}]*\}?|\((?:[^()]|\([^()]*\))*\)?|")|`(?:\\[\s\S]|[^`\\])*`?)/;

function readExpansion(scan: Scan, reason: string): void {
  const written = expansion.exec(scan.text.slice(scan.at))?.[0];
  if (written === undefined) {
    // A dollar that begins nothing is one; what it begins may stand on the next line.
    if (scan.text.startsWith('\\\n', scan.at + 1)) report(scan, '$', 'the line goes on behind it');
    append(scan, '$');
    scan.at += 1;
    return;
  }
  report(scan, written, written.startsWith('$(') ? 'jobd runs no commands' : reason);
  append(scan, written);
  scan.at += written.length;
}

/** What stands on later lines is a command of its own, unless it is a comment. */
function readLineEnd(scan: Scan): void {
  endRedirection(scan);
  scan.at += 1;
  const rest = scan.text.slice(scan.at);
  if (scan.words.length === 0 || /^(?:[ \t]*(?:#[^\n]*)?(?:\n|$))*$/.test(rest)) return;
  report(scan, rest, 'one command is read, this is another one');
  scan.at = scan.text.length;
}

function readOperator(scan: Scan): void {
  endRedirection(scan);
  const rest = scan.text.slice(scan.at);
  scan.at = scan.text.length;
  if (/^;\s*$/.test(rest)) return;
  const isPipe = /^\|(?!\|)/.test(rest);
  const isBackground = /^&\s*$/.test(rest);
  report(
    scan,
    rest,
    isPipe
      ? 'jobd passes the answer to no other command'
      : isBackground
        ? 'jobd runs nothing in the background'
        : 'one command is read, this is another one',
  );
}

function readRedirection(scan: Scan): void {
  const operator =
    /^(?:&>>?|<<[-<]?|<>|<&|>>|>&|>\||<|>)/.exec(scan.text.slice(scan.at))?.[0] ?? '';
  // A number right before it says which descriptor is meant, and is no word (2.7).
  const isNumber = !scan.isQuoted && /^\d+$/.test(scan.word ?? '') && !operator.startsWith('&');
  const descriptor = isNumber ? (scan.word ?? '') : '';
  if (isNumber) scan.word = null;
  endRedirection(scan);
  scan.redirection = { written: descriptor + operator, operator };
  scan.at += operator.length;
}

function judgeRedirection(
  scan: Scan,
  { written, operator }: { written: string; operator: string },
  target: string,
): void {
  const text = written + target;
  const isOutput = operator.includes('>') && operator !== '<>';
  const isCopy = operator === '>&' && /^(?:\d+|-)$/.test(target);
  if (isCopy || (target === '/dev/null' && (isOutput || operator === '<'))) {
    scan.ignored.push({ text, reason: changesNothing });
  } else if (isOutput) {
    report(scan, text, noFiles);
  } else {
    report(scan, text, 'a call has no standard input');
  }
}
