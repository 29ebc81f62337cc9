/**
 * The simple commands of a text and their words, as a POSIX shell reads them (POSIX.1-2024 Shell Command Language,
 * 2.2 quoting, 2.3 token recognition, 2.6 expansions, 2.7 redirection, 2.9 lists). Only the text itself is read. Where a
 * shell would insert something from outside, that is reported and never guessed. Typographic quotes and spaces, which a
 * web page made of plain ones, are read as what they were.
 */
import { readAnsiCQuotes } from './ansi-c-quotes.ts';
import { CommandList, type Joint, type ShellCommand, type Variables } from './command-list.ts';
import { judgeRedirection } from './redirections.ts';
import {
  asPlainQuotes,
  asPlainSpaces,
  isNoBreakSpace,
  openedBy,
  quoteEnds,
  withPlainQuotes,
} from './typographic.ts';

/** Reads the commands of a text, those of groups too. Never throws: unreadable parts are unhonoured. */
export function readShell(text: string, variables: Variables = () => undefined): ShellCommand[] {
  return new Reader(text, variables).read();
}

const noVariables = 'shell variables are not expanded; put the value there';
const noCommands = 'jobd runs no commands';
const noCommandThere = 'a command is missing there';
/** Text without any meaning of its own to the shell, wherever it is. */
const plainText = /[^\\'"$`\s#<>|&;()~*?[{}“”„‟‘’‚‛]+/y;
const comment = /[^\n]*/y;
/** Names, special parameters and brackets (2.5, 2.6), to report an expansion and not to perform it. */
const expansion =
  /\$(?:[A-Za-z_]\w*|[0-9@*#?$!-]|\{[^}]*\}?|\((?:[^()]|\([^()]*\))*\)?|")|`(?:\\[\s\S]|[^`\\])*`?/y;
const redirection = /&>>?|<<[-<]?|<>|<&|>>|>&|>\||<|>/y;
/** As much of a word as a remark shows, and a character more. */
const restOfWord = /\S{0,61}/y;
/** The beginning of a word that sets a variable. bash takes a `~` after it, or after a `:` in the value, for a directory. */
const assignedName = /^[A-Za-z_]\w*\+?=/;

/** An `&` inside a word, as in a URL without quotes. */
const queryPart = /&[A-Za-z_][\w.[\]-]*=[^\s]*/y;

class Reader {
  readonly #list: CommandList;
  readonly #text: string;
  /** How many groups are open, and whether one has just ended. */
  #depth = 0;
  #isAfterGroup = false;
  /** Where the command begins. */
  #begin = 0;
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

  constructor(text: string, variables: Variables) {
    this.#text = text;
    this.#list = new CommandList(variables);
  }

  read(): ShellCommand[] {
    while (this.#at < this.#text.length) this.#readNext();
    this.#endRedirection();
    if (this.#depth > 0) this.#list.report('( or {', 'it is never closed');
    const { joint } = this.#list;
    const isOpen = !['', ';', '&'].includes(joint);
    if (isOpen && this.#list.isEmpty()) this.#list.report(joint, noCommandThere);
    this.#endCommand('', this.#at);
    return this.#list.commands;
  }

  /** Ends the command here; the next one begins at `end`. */
  #endCommand(next: Joint, end: number): void {
    this.#endRedirection();
    this.#list.end(next, this.#text.slice(this.#begin, this.#at));
    this.#isAfterGroup = false;
    this.#at = end;
    this.#begin = end;
  }

  #readNext(): void {
    const plain = this.#match(plainText);
    if (plain !== undefined) return this.#take(plain);
    const character = this.#text[this.#at] ?? '';
    if (character === '\\') return this.#readBackslash();
    if (character === "'") return this.#readSingleQuotes();
    if (character === '"') return this.#readDoubleQuotes();
    if (character === '$') return this.#readDollar();
    if (character === '`') return this.#readExpansion(noCommands, false);
    if (character === '\n') return this.#endCommand(';', this.#at + 1);
    if (this.#match(redirection) !== undefined) return this.#readRedirection();
    if ('|&;()'.includes(character)) return this.#readOperator(character);
    const isBegin = this.#word === null || '=:'.includes(this.#last);
    const plainQuote = openedBy(character, isBegin);
    if (plainQuote !== null) return this.#readTypographicQuotes(plainQuote);
    if (this.#readGroup(character)) return;
    if (isNoBreakSpace(character)) {
      this.#list.adapt(asPlainSpaces);
      this.#endWord();
      this.#at += 1;
    } else if (character === ' ' || character === '\t') {
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

  /** Whether no word of the command has begun. */
  #isBefore(): boolean {
    return this.#word === null && this.#list.words.length === 0 && this.#redirection === null;
  }

  /** Reads a `{` or `}` that begins or ends a group of commands, and is no part of a word. */
  #readGroup(character: string): boolean {
    const isAlone = /^[\s;)&|<>]?$/.test(this.#text[this.#at + 1] ?? '');
    const isGroup = character === '{' || (character === '}' && this.#depth > 0);
    if (!isGroup || !isAlone || !this.#isBefore()) return false;
    this.#depth += character === '{' ? 1 : -1;
    this.#isAfterGroup = character === '}';
    this.#at += 1;
    return true;
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
      this.#list.report(this.#match(restOfWord) ?? character, reason);
    if (character === '\r') {
      this.#list.report(
        'a carriage return',
        'the shell takes it for a letter: save the text with LF',
      );
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
    if (this.#redirection === null) this.#list.words.push(this.#word);
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
    this.#list.report(this.#redirection.written, 'a redirection needs a file');
    this.#redirection = null;
  }

  #readBackslash(): void {
    const next = this.#text.codePointAt(this.#at + 1);
    if (next === undefined) {
      this.#list.report('\\', 'it continues the line, and the text ends');
      this.#at += 1;
      return;
    }
    const character = String.fromCodePoint(next);
    // Before a line end it joins the lines, also inside a word.
    if (character !== '\n') this.#append(character, true);
    if (character === '\r') {
      this.#list.report('a carriage return', 'it ends no line: save the text with LF');
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
    this.#list.report(rest, `its ${quote} is never closed`);
    this.#append(rest, true);
    this.#at = this.#text.length;
  }

  /** Reads to the next `"`, or to the next one of the quotes that end it. */
  #readDoubleQuotes(ends = '"'): void {
    const begin = this.#at;
    this.#append('', true);
    this.#at += 1;
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at] ?? '';
      const next = this.#text[this.#at + 1] ?? '';
      if (ends.includes(character)) {
        this.#at += 1;
        return;
      }
      if (character === '$' && next !== '"') this.#readExpansion(noVariables, true);
      else if (character === '`') this.#readExpansion(noCommands, true);
      else if (character === '\\') {
        if (next !== '\n') this.#append('$`"\\'.includes(next) ? next : character + next);
        this.#at += 2;
      } else this.#take(character);
    }
    this.#at = begin;
    this.#leaveOpen(this.#text[begin] ?? '"');
  }

  #readTypographicQuotes(plain: '"' | "'"): void {
    this.#list.adapt(asPlainQuotes);
    if (plain === '"') return this.#readDoubleQuotes(quoteEnds[plain]);
    const ends = quoteEnds[plain];
    ends.lastIndex = this.#at + 1;
    const end = ends.exec(this.#text)?.index;
    if (end === undefined) return this.#leaveOpen(this.#text[this.#at] ?? plain);
    this.#append(withPlainQuotes(this.#text.slice(this.#at + 1, end)), true);
    this.#at = end + 1;
  }

  #readDollar(): void {
    const next = this.#text[this.#at + 1];
    if (next === '"') return this.#readExpansion('translated strings are not supported', false);
    if (next !== "'") return this.#readExpansion(noVariables, false);
    const quoted = readAnsiCQuotes(this.#text, this.#at + 2);
    if (quoted === null) return this.#leaveOpen("$'");
    const { value, end, problem } = quoted;
    if (problem !== null) this.#list.report(this.#text.slice(this.#at, end), problem);
    this.#append(value, true);
    this.#at = end;
  }

  #readExpansion(reason: string, isQuoted: boolean): void {
    const written = this.#match(expansion);
    if (written !== undefined) {
      if (this.#putIn(written, isQuoted)) return;
      this.#list.report(written, written.startsWith('$(') ? noCommands : reason);
      return this.#take(written);
    }
    // A lone dollar is literal, but the name may be on the next line.
    if (this.#text.startsWith('\\\n', this.#at + 1))
      this.#list.report('$', 'its name is on the next line');
    this.#take('$');
  }

  /** Puts the value of a variable in its place, if the list knows it. */
  #putIn(written: string, isQuoted: boolean): boolean {
    const value = this.#list.valueOf(written, isQuoted);
    if (value === undefined) return false;
    this.#list.adapt({ text: written, reason: 'the job keeps its value' });
    this.#append(value, isQuoted);
    this.#at += written.length;
    return true;
  }

  #readOperator(character: string): void {
    const next = this.#text[this.#at + 1] ?? '';
    const glued = character === '&' && this.#word?.includes('?') ? this.#match(queryPart) : null;
    if (glued) {
      this.#list.report(glued, 'the shell ends the command at &: put the URL in quotes');
      this.#at += glued.length;
    } else if (character === '(' && this.#isBefore()) {
      this.#depth += 1;
      this.#at += 1;
    } else if (character === '(' || (character === ')' && this.#depth === 0)) {
      this.#list.report(
        this.#match(restOfWord) ?? character,
        'put it in quotes: shells have a use for it',
      );
      this.#take(character);
    } else if (character === ')') {
      this.#depth -= 1;
      this.#endCommand(';', this.#at + 1);
      this.#list.forgetVariables();
      this.#isAfterGroup = true;
    } else {
      this.#endRedirection();
      if (this.#list.isEmpty() && !this.#isAfterGroup) this.#list.report(character, noCommandThere);
      const joint = character !== ';' && next === character ? character + next : character;
      const length = character === '|' && next === '&' ? 2 : joint.length;
      this.#endCommand(joint as Joint, this.#at + length);
    }
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
    const { kind, reason } = judgeRedirection(operator, target);
    const text = written + target;
    if (kind === 'ignored') this.#list.ignore(text, reason);
    else if (kind === 'adapted') this.#list.adapt({ text, reason });
    else this.#list.report(text, reason);
  }
}
