/** Commands that run another command, such as `flock` and `sudo`: what they run is what matters. */

import { nameOf } from './program.ts';

/** What a command runs: words of its own, or a text that a shell reads. */
export type Run = { words: readonly string[] } | { text: string };

/** A command that runs another one. */
interface Prefix {
  /** The letters of its options with a value. */
  letters?: string;
  /** Its long options with a value, for which `--name=value` is not written. */
  names?: readonly string[];
  /** How many words stand between its options and the command. */
  operands?: number;
  /** Whether `-c` gives a text for a shell: among its options, or after its operands. */
  takesText?: boolean;
}

const shell: Prefix = { letters: 'oO', takesText: true };

const prefixes: ReadonlyMap<string, Prefix> = new Map(
  Object.entries({
    sudo: { letters: 'ugCDhpRrTtU', names: ['user', 'group', 'chdir', 'host'] },
    doas: { letters: 'uC' },
    su: { letters: 'sgGw', takesText: true, operands: Infinity },
    runuser: { letters: 'usgGw', names: ['user', 'group', 'shell'], takesText: true },
    env: { letters: 'uCS', names: ['unset', 'chdir'] },
    nice: { letters: 'n', names: ['adjustment'] },
    ionice: { letters: 'cn', names: ['class', 'classdata'] },
    chrt: { letters: 'TPD', operands: 1 },
    taskset: { operands: 1 },
    timeout: { letters: 'ks', names: ['kill-after', 'signal'], operands: 1 },
    flock: { letters: 'wE', names: ['timeout', 'wait'], operands: 1, takesText: true },
    setlock: { operands: 1 },
    stdbuf: { letters: 'ioe' },
    'systemd-cat': { letters: 'tp', names: ['identifier', 'priority'] },
    chronic: {},
    cronic: {},
    command: {},
    exec: {},
    nohup: {},
    setsid: {},
    time: { letters: 'fo' },
    unbuffer: {},
    busybox: {},
    sh: shell,
    bash: shell,
    dash: shell,
    ash: shell,
    ksh: shell,
    zsh: shell,
  }),
);

/** Whether a command by this name runs another one. */
export function isPrefix(program: string): boolean {
  return prefixes.has(nameOf(program));
}

const assignment = /^[A-Za-z_]\w*=/;
const proxy = /^(?:https?|all)_proxy$/i;

/** The variable among these words that leads calls through a proxy; null if there is none. */
export function proxyIn(words: readonly string[]): string | null {
  const names = words.map((word) => word.slice(0, Math.max(word.indexOf('='), 0)));
  return names.find((name) => proxy.test(name)) ?? null;
}

/** The names of such variables, for whoever knows the values. */
export const proxyVariables = [
  'http_proxy',
  'https_proxy',
  'HTTPS_PROXY',
  'all_proxy',
  'ALL_PROXY',
];

/** What the words run, and what stands before it; null if they run nothing else. */
export function runBy(words: readonly string[]): { run: Run; before: readonly string[] } | null {
  const [first = ''] = words;
  if (assignment.test(first)) {
    const length = words.findIndex((word) => !assignment.test(word));
    if (length < 0) return null;
    return {
      run: { words: words.slice(length) },
      before: ['variables', ...words.slice(0, length)],
    };
  }
  const name = nameOf(first);
  const prefix = prefixes.get(name);
  if (prefix === undefined) return null;
  const { at, text } = afterOptions(words, prefix);
  if (text !== undefined) return { run: { text }, before: [name] };
  const begin = at + (prefix.operands ?? 0);
  const operands = words.slice(at, begin);
  if (prefix.takesText === true && /^(?:-c|--command)$/.test(words[begin] ?? '')) {
    return { run: { text: words[begin + 1] ?? '' }, before: [name, ...operands] };
  }
  const rest = words.slice(begin);
  // A shell without -c runs a script, and `command -v` only says where a program is.
  if (rest.length === 0 || prefix === shell || isQuestion(name, words)) return null;
  return { run: { words: rest }, before: [name, ...operands] };
}

function isQuestion(name: string, words: readonly string[]): boolean {
  return name === 'command' && /^-[vV]/.test(words[1] ?? '');
}

/** Where the options end; the text of a `-c` among them. */
function afterOptions(
  words: readonly string[],
  { letters = '', names = [], takesText = false, operands }: Prefix,
): { at: number; text?: string } {
  let at = 1;
  for (; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--') return { at: at + 1 };
    // `su - user -c text`: its options may follow its operands.
    if (!/^-./.test(word)) {
      if (operands === Infinity) continue;
      return { at };
    }
    if (word.startsWith('--')) {
      if (takesText && word === '--command') return { at, text: words[at + 1] ?? '' };
      if (names.includes(word.slice(2))) at += 1;
    } else {
      if (takesText && /^-[a-z]*c$/.test(word)) return { at, text: words[at + 1] ?? '' };
      if (endsInValue(word, letters)) at += 1;
    }
  }
  return { at };
}

/** Whether the value of the last letter is the next word, as in `-u www-data`; `-uwww-data` has it. */
function endsInValue(word: string, letters: string): boolean {
  const first = Array.from(word.slice(1)).findIndex((letter) => letters.includes(letter));
  return first >= 0 && first === word.length - 2;
}
