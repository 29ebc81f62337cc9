/** The commands of a text while they are read: of the one that is being read, its words and remarks so far. */

import type { Remark } from './remark.ts';

/** What is between two commands; nothing is before the first. */
export type Joint = '' | ';' | '&' | '&&' | '||' | '|';

/** A command. Its words are the shell's only if nothing is unhonoured. */
export interface ShellCommand {
  /** What is before it. */
  joint: Joint;
  /** As it is written, shortened. */
  text: string;
  /** Empty for a redirection of a group of commands. */
  words: readonly string[];
  /** Redirections that have no effect on the request. */
  ignored: readonly Remark[];
  /** What is read in another way than a shell does, and values that are put in. */
  adapted: readonly Remark[];
  /** Parts that depend on more than the text. */
  unhonoured: readonly Remark[];
}

/** The value of a variable; undefined if nobody knows it. */
export type Variables = (name: string) => string | undefined;

/** More characters of values are not put into a command. */
const mostInserted = 8_192;
/** A value that is one word, and the same one, without quotes. */
const oneWord = /^[^\s*?[\]~\\]+$/;
const assignment = /^([A-Za-z_]\w*)=([\s\S]*)$/;

export class CommandList {
  readonly commands: ShellCommand[] = [];
  words: string[] = [];
  #ignored: Remark[] = [];
  #adapted = new Map<string, Remark>();
  #unhonoured: Remark[] = [];
  #joint: Joint = '';
  readonly #variables: Variables;
  /** Variables that a command before has set. */
  readonly #set = new Map<string, string>();
  /** How many characters of values were put in. */
  #inserted = 0;

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  /** What is before the command that is being read. */
  get joint(): Joint {
    return this.#joint;
  }

  isEmpty(): boolean {
    const remarks = this.#ignored.length + this.#adapted.size + this.#unhonoured.length;
    return this.words.length + remarks === 0;
  }

  ignore(text: string, reason: string): void {
    this.#ignored.push({ text: shortened(text), reason });
  }

  /** Notes it once in each command. */
  adapt({ text, reason }: Remark): void {
    this.#adapted.set(text, { text: shortened(text), reason });
  }

  report(text: string, reason: string): void {
    this.#unhonoured.push({ text: shortened(text), reason });
  }

  /** Ends the command, whose text is given; `next` is before the next one. */
  end(next: Joint, written: string): void {
    if (this.isEmpty()) {
      if (next !== ';') this.#joint = next;
      return;
    }
    const { words } = this;
    const [ignored, unhonoured] = [this.#ignored, this.#unhonoured];
    const adapted = [...this.#adapted.values()];
    const text = shortened(written);
    this.commands.push({ joint: this.#joint, text, words, ignored, adapted, unhonoured });
    // Other processes keep what they set to themselves, and after `||` it may not be set.
    const isSet = this.#joint !== '||' && next !== '|' && next !== '&';
    if (unhonoured.length === 0 && isSet) this.#keepVariables(words);
    this.#joint = next;
    [this.words, this.#ignored, this.#adapted, this.#unhonoured] = [[], [], new Map(), []];
  }

  /** A command that only sets variables sets them for those that follow. */
  #keepVariables(words: readonly string[]): void {
    const given = words[0] === 'export' ? words.slice(1) : words;
    const pairs = given.map((word) => assignment.exec(word)).filter((pair) => pair !== null);
    if (pairs.length < given.length) return;
    for (const [, name = '', value = ''] of pairs) this.#set.set(name, value);
  }

  /** Forgets what commands have set: a group of them has ended. */
  forgetVariables(): void {
    this.#set.clear();
  }

  /** The value of an expansion as it is written, if it is known and the shell would make one word of it. */
  valueOf(written: string, isQuoted: boolean): string | undefined {
    const [, name = ''] = /^\$\{?([A-Za-z_]\w*)\}?$/.exec(written) ?? [];
    const value = this.#set.get(name) ?? this.#variables(name);
    if (value === undefined || !(isQuoted || oneWord.test(value))) return undefined;
    this.#inserted += value.length + 1;
    return this.#inserted > mostInserted ? undefined : value;
  }
}

/** As much of a remark as is shown. */
const mostShown = 60;

/** On one line and shortened, enough to find it. */
function shortened(text: string): string {
  const line = text
    .slice(0, 8 * mostShown)
    .trim()
    .replace(/\s+/g, ' ');
  return line.length > mostShown ? `${line.slice(0, mostShown)}…` : line;
}
