/**
 * The words of one simple command as a POSIX shell reads them (POSIX.1-2024 Shell Command Language, 2.2 quoting,
 * 2.3 token recognition, 2.6 expansions, 2.7 redirection). Only the text itself is read. Where a shell would insert
 * something from outside or run another command, that is reported and never guessed.
 */
import { readAnsiCQuotes } from './ansi-c-quotes.ts';
import { reasons, type Remark } from './remark.ts';

/** A command. Its words are the shell's only if nothing is unhonoured. */
export interface ShellCommand {
  words: readonly string[];
  /** Redirections that have no effect on the request. */
  ignored: readonly Remark[];
  /** Parts that depend on more than the text, or need more than one command. */
  unhonoured: readonly Remark[];
}

/** Reads a command. Never throws: unreadable parts are unhonoured. */
export function readShellCommand(text: string): ShellCommand {
  const { words, ignored, unhonoured } = new Reader(text).read();
  return { words, ignored, unhonoured };
}

const noVariables = 'shell variables are not expanded; put the value there';
const noCommands = 'jobd runs no commands';
const oneCommand = 'only one command is read, this is another one';

/** Text without any meaning of its own to the shell, wherever it is. */
const plainText = /[^\\'"$`\s#<>|&;()~*?[{]+/y;
const comment = /[^\n]*/y;
/** Names, special parameters and brackets (2.5, 2.6), to report an expansion and not to perform it. */
const expansion =
  /\$(?:[A-Za-z_]\w*|[0-9@*#?$!-]|\{[^}]*\}?|\((?:[^()]|\([^()]*\))*\)?|")|`(?:\\[\s\S]|[^`\\])*`?/y;
const redirection = /&>>?|<<[-<]?|<>|<&|>>|>&|>\||<|>/y;
/** As much of a remark as is shown. */
const mostShown = 60;
/** As much of a word as a remark shows, and a character more. */
const restOfWord = /\S{0,61}/y;
/** The beginning of a word that sets a variable. bash takes a `~` after it, or after a `:` in the value, for a directory. */
const assignedName = /^[A-Za-z_]\w*\+?=/;

class Reader {
  readonly words: string[] = [];
  readonly ignored: Remark[] = [];
  readonly unhonoured: Remark[] = [];
  readonly #text: string;
  #at = 0;
  /** The word that is being read; null between words. */
  #word: string | null = null;
  /** The last character of the word, so that nobody looks through the word for it. */
  #last = '';
  /** The length of the `NAME=` that the word begins with, 0 if it is none; null until somebody asks. */
  #nameLength: number | null = null;
  /** Whether a part of the word was quoted. */
  #isQuoted = false;
  /** The redirection to which the next word belongs. */
  #redirection: { written: string; operator: string } | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  read(): this {
    while (this.#at < this.#text.length) this.#readNext();
    this.#endRedirection();
    return this;
  }

  #readNext(): void {
    const plain = this.#match(plainText);
    if (plain !== undefined) return this.#take(plain);
    const character = this.#text[this.#at] ?? '';
    if (character === '\\') return this.#readBackslash();
    if (character === "'") return this.#readSingleQuotes();
    if (character === '"') return this.#readDoubleQuotes();
    if (character === '$') return this.#readDollar();
    if (character === '`') return this.#readExpansion(noCommands);
    if (character === '\n') return this.#readLineEnd();
    if (this.#match(redirection) !== undefined) return this.#readRedirection();
    if ('|&;()'.includes(character)) return this.#readOperator();
    if (character === ' ' || character === '\t') {
      this.#endWord();
      this.#at += 1;
    } else if (character === '#' && this.#word === null) {
      this.#at += this.#match(comment)?.length ?? 0;
    } else {
      this.#judgeUnquoted(character);
      this.#take(character);
    }
  }

  /** The text here that has this form; undefined if there is none. */
  #match(form: RegExp): string | undefined {
    form.lastIndex = this.#at;
    return form.exec(this.#text)?.[0];
  }

  /** Adds unquoted text to the word and moves on. */
  #take(text: string): void {
    this.#append(text);
    this.#at += text.length;
  }

  #append(text: string, isQuoted = false): void {
    this.#word = (this.#word ?? '') + text;
    this.#last = text.at(-1) ?? this.#last;
    this.#isQuoted ||= isQuoted;
  }

  /** The text is put on one line and shortened, enough to find it. */
  #report(text: string, reason: string): void {
    const line = text.trim().replace(/\s+/g, ' ');
    const short = line.length > mostShown ? `${line.slice(0, mostShown)}…` : line;
    this.unhonoured.push({ text: short, reason });
  }

  /** Whether bash takes a `~` after the word so far for a directory. */
  #isDirectoryNext(): boolean {
    if (this.#word === null) return true;
    if (this.#last !== '=' && this.#last !== ':') return false;
    // Text that is added to a word with one of them does not change the answer.
    this.#nameLength ??= assignedName.exec(this.#word)?.[0].length ?? 0;
    if (this.#nameLength === 0) return false;
    return this.#last === ':' || this.#word.length === this.#nameLength;
  }

  /** Reports characters that have a meaning at this place. A pattern in the middle of a word matches no file. */
  #judgeUnquoted(character: string): void {
    const isFirst = this.#word === null;
    const reportRest = (reason: string): void =>
      this.#report(this.#match(restOfWord) ?? character, reason);
    if (character === '\r') {
      this.#report('a carriage return', 'the shell takes it for a letter: save the text with LF');
    } else if (character === '~' && this.#isDirectoryNext()) {
      reportRest('it means a directory of one machine');
    } else if ('*?['.includes(character) && isFirst) {
      reportRest('it means the files of a directory: put it in quotes');
    } else if (character === '{' && this.#text[this.#at + 1] !== '}') {
      reportRest('shells differ on braces: put them in quotes');
    }
  }

  #endWord(): void {
    if (this.#word === null) return;
    if (this.#redirection === null) this.words.push(this.#word);
    else this.#judgeRedirection(this.#redirection, this.#word);
    this.#forgetWord();
    this.#redirection = null;
  }

  #forgetWord(): void {
    this.#word = null;
    this.#last = '';
    this.#nameLength = null;
    this.#isQuoted = false;
  }

  /** Ends the word where no file of a redirection can follow. */
  #endRedirection(): void {
    this.#endWord();
    if (this.#redirection === null) return;
    this.#report(this.#redirection.written, 'a redirection needs a file');
    this.#redirection = null;
  }

  #readBackslash(): void {
    const next = this.#text.codePointAt(this.#at + 1);
    if (next === undefined) {
      this.#report('\\', 'it continues the line, and the text ends');
      this.#at += 1;
      return;
    }
    const character = String.fromCodePoint(next);
    // Before a line end it joins the lines, also inside a word.
    if (character !== '\n') this.#append(character, true);
    if (character === '\r') {
      this.#report('a carriage return', 'it ends no line: save the text with LF');
    }
    this.#at += 1 + character.length;
  }

  #readSingleQuotes(): void {
    const end = this.#text.indexOf("'", this.#at + 1);
    if (end === -1) return this.#leaveOpen("'");
    this.#append(this.#text.slice(this.#at + 1, end), true);
    this.#at = end + 1;
  }

  #leaveOpen(quote: string): void {
    const rest = this.#text.slice(this.#at);
    this.#report(rest, `its ${quote} is never closed`);
    this.#append(rest, true);
    this.#at = this.#text.length;
  }

  #readDoubleQuotes(): void {
    const begin = this.#at;
    this.#append('', true);
    this.#at += 1;
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at] ?? '';
      const next = this.#text[this.#at + 1] ?? '';
      if (character === '"') {
        this.#at += 1;
        return;
      }
      if (character === '$' && next !== '"') this.#readExpansion(noVariables);
      else if (character === '`') this.#readExpansion(noCommands);
      else if (character === '\\') {
        if (next !== '\n') this.#append('$`"\\'.includes(next) ? next : character + next);
        this.#at += 2;
      } else this.#take(character);
    }
    this.#at = begin;
    this.#leaveOpen('"');
  }

  #readDollar(): void {
    const next = this.#text[this.#at + 1];
    if (next === '"') return this.#readExpansion('translated strings are not supported');
    if (next !== "'") return this.#readExpansion(noVariables);
    const quoted = readAnsiCQuotes(this.#text, this.#at + 2);
    if (quoted === null) return this.#leaveOpen("$'");
    const { value, end, problem } = quoted;
    if (problem !== null) this.#report(this.#text.slice(this.#at, end), problem);
    this.#append(value, true);
    this.#at = end;
  }

  #readExpansion(reason: string): void {
    const written = this.#match(expansion);
    if (written !== undefined) {
      this.#report(written, written.startsWith('$(') ? noCommands : reason);
      return this.#take(written);
    }
    // A lone dollar is literal, but the name may be on the next line.
    if (this.#text.startsWith('\\\n', this.#at + 1))
      this.#report('$', 'its name is on the next line');
    this.#take('$');
  }

  /** Text on later lines is another command, unless it is a comment. */
  #readLineEnd(): void {
    this.#endRedirection();
    this.#at += 1;
    if (this.words.length === 0) return;
    const rest = this.#text.slice(this.#at);
    if (!/^(?:[ \t]*(?:#[^\n]*)?(?:\n|$))*$/.test(rest)) this.#report(rest, oneCommand);
    this.#at = this.#text.length;
  }

  #readOperator(): void {
    this.#endRedirection();
    const rest = this.#text.slice(this.#at);
    this.#at = this.#text.length;
    if (/^;\s*$/.test(rest)) return;
    if (/^\|(?!\|)/.test(rest)) this.#report(rest, 'jobd sends the response to no other command');
    else if (/^&\s*$/.test(rest)) this.#report(rest, 'jobd runs nothing in the background');
    else this.#report(rest, oneCommand);
  }

  #readRedirection(): void {
    const operator = this.#match(redirection) ?? '';
    // A number right before it is the file descriptor, and no word (2.7).
    const isNumber = !this.#isQuoted && /^\d+$/.test(this.#word ?? '') && !operator.startsWith('&');
    const descriptor = isNumber ? (this.#word ?? '') : '';
    if (isNumber) this.#forgetWord();
    this.#endRedirection();
    this.#redirection = { written: descriptor + operator, operator };
    this.#at += operator.length;
  }

  #judgeRedirection(
    { written, operator }: { written: string; operator: string },
    target: string,
  ): void {
    const text = written + target;
    const isOutput = operator.includes('>') && operator !== '<>';
    const isCopy = operator === '>&' && /^(?:\d+|-)$/.test(target);
    if (isCopy || (target === '/dev/null' && (isOutput || operator === '<'))) {
      this.ignored.push({ text, reason: reasons.noEffect });
    } else if (isOutput) this.#report(text, reasons.noFiles);
    else this.#report(text, 'a call has no standard input');
  }
}
