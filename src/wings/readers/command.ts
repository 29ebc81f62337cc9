/** A command line, or the command of a crontab, as the call that it makes. */

import { nameRule } from '../../domain/fields.ts';
import type { CrontabLine } from './crontab.ts';
import { readCurl } from './curl.ts';
import { proxyIn, proxyVariables, runBy } from './prefixes.ts';
import { nameOf, toolOf } from './program.ts';
import { reasons, type Remark } from './remark.ts';
import { readWget } from './wget.ts';
import { readShell } from './words.ts';
import type { ShellCommand, Variables } from './command-list.ts';
import { timeoutWithin, type ReadCall } from './written-call.ts';

export interface ReadCommand extends ReadCall {
  /** What makes its call; null if it runs neither curl nor wget. */
  tool: 'curl' | 'wget' | null;
  /** What it is about: the first program that does more than to prepare another, or what is called; empty if there is none. */
  program: string;
  /** Whether it runs other commands before its call. */
  followsOthers: boolean;
  /** Whether it waits before the call. */
  isDelayed: boolean;
}

const oneCommand = 'only one command is read, this is another one';
const oneCall = 'a job makes one call: give each a job of its own';
const noOtherCommand = 'jobd sends the response to no other command';
const noInput = 'a call has no standard input';
const oneAtATime = 'a job executes one run at a time anyway';
const onlyTheCall = 'left out, a job makes the call alone';
const alertsInstead = 'a channel alerts you when a run fails';

/** Commands beside a call that it does not need: they prepare or report. */
const quiet = new Set(
  ': true cd date echo exit export logger printf set sleep ulimit umask unset wait'.split(' '),
);
/** Shells in shells, and commands that run commands: nobody writes more. */
const mostNested = 4;
const mostPrefixes = 8;

const noCall = { tool: null, followsOthers: false, isDelayed: false, call: null, partial: null };

/** Reads a command. Never throws: what cannot be honoured is listed, that of the shell first. */
export function readCommand(text: string, variables?: Variables): ReadCommand {
  const steps = stepsOf(text, variables);
  const calls = steps.filter(isCall);
  const [first] = calls;
  const remarks = { ignored: [], adapted: [], unhonoured: [] } as Remarks;
  if (first === undefined) {
    for (const step of steps) append(remarks.unhonoured, step.unhonoured);
    const program = programOf(steps) ?? nameOf(steps[0]?.words[0] ?? '');
    return { ...noCall, program, ...remarks };
  }
  const read = readCall(first);
  const proxy = proxyVariables.find((name) => variables?.(name));
  if (proxy !== undefined) remarks.unhonoured.push({ text: proxy, reason: reasons.ownRoute });
  for (const [index, step] of steps.entries()) {
    if (isCall(step)) addCall(remarks, step, step === first ? null : read);
    else judgeOther(remarks, step, steps[index + 1]);
  }
  const tool = toolOf(first.words[0] ?? '') ?? 'curl';
  const isCertain = remarks.unhonoured.length === 0;
  const before = steps.slice(0, steps.indexOf(first));
  const preceding = programOf(before);
  return {
    tool,
    program: preceding ?? (read.partial === null ? tool : nameOfCall(read.partial.url)),
    followsOthers: preceding !== null,
    isDelayed: before.some(({ words }) => nameOf(words[0] ?? '') === 'sleep'),
    call: isCertain ? read.call : null,
    // What the shell does to the words is not known.
    partial: isCertain ? read.partial : null,
    ignored: once([...remarks.ignored, ...read.ignored]),
    adapted: once([...remarks.adapted, ...read.adapted]),
    unhonoured: once([...remarks.unhonoured, ...read.unhonoured]),
  };
}

type Remarks = Record<'ignored' | 'adapted' | 'unhonoured', Remark[]>;

/** A command without those that run it, such as `sudo`. */
interface Step extends ShellCommand {
  /** The time that `timeout` gives it, as it is written; null if there is none. */
  timeout: string | null;
}

/** The commands of a text in their order, also those that it gives another shell. */
function stepsOf(text: string, variables: Variables | undefined, depth = 0): Step[] {
  return readShell(text, variables).flatMap((command) => {
    const ignored = [...command.ignored];
    const adapted = [...command.adapted];
    const unhonoured = [...command.unhonoured];
    let timeout: string | null = null;
    let { words } = command;
    for (let count = 0; count < mostPrefixes; count += 1) {
      const found = runBy(words);
      if (found === null) break;
      const [name = '', operand = ''] = found.before;
      const through = name === 'variables' ? proxyIn(found.before) : null;
      if (through !== null) unhonoured.push({ text: through, reason: reasons.ownRoute });
      if (name === 'timeout') timeout = operand;
      else if (name === 'flock') adapted.push({ text: name, reason: oneAtATime });
      else ignored.push({ text: name, reason: reasons.noEffect });
      if ('words' in found.run) words = found.run.words;
      else if (depth === mostNested) break;
      else {
        const outer: Step = { ...command, ignored, adapted, unhonoured, timeout, words: [] };
        const inner = stepsOf(found.run.text, variables, depth + 1).map((step, index) => ({
          ...step,
          joint: index === 0 ? command.joint : step.joint,
          timeout: step.timeout ?? timeout,
        }));
        return [outer, ...inner];
      }
    }
    return [{ ...command, words, ignored, adapted, unhonoured, timeout }];
  });
}

function isCall({ words }: Step): boolean {
  return toolOf(words[0] ?? '') !== null;
}

/** Reads the options of a call. */
function readCall({ words, timeout }: Step): ReadCall {
  const [program = '', ...rest] = words;
  const read = toolOf(program) === 'curl' ? readCurl(rest) : readWget(rest);
  const seconds = secondsOf(timeout);
  if (seconds === null || read.call?.timeoutSeconds !== null) return read;
  const { value, adapted } = timeoutWithin(seconds, 'timeout');
  const call = { ...read.call, timeoutSeconds: value };
  return { ...read, call, partial: call, adapted: [...read.adapted, ...adapted] };
}

/** The seconds of a duration of `timeout`; null if there is none, or no limit. */
function secondsOf(duration: string | null): number | null {
  const [, number = '0', unit = 's'] =
    /^(\d{1,9}(?:\.\d{1,9})?)([smhd]?)$/.exec(duration ?? '') ?? [];
  const units: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 };
  return Number(number) * (units[unit] ?? 1) || null;
}

/** Adds the remarks on a call; `first` is the first one, if this is another. */
function addCall(remarks: Remarks, step: Step, first: ReadCall | null): void {
  const { joint, text } = step;
  if (joint === '|') remarks.unhonoured.push({ text: `| ${text}`, reason: noInput });
  if (first === null) {
    for (const kind of ['ignored', 'adapted', 'unhonoured'] as const) {
      append(remarks[kind], step[kind]);
    }
  } else if (joint === '||' && sameRequest(first, readCall(step))) {
    remarks.adapted.push({ text: `|| ${text}`, reason: 'it makes the same call again' });
  } else remarks.unhonoured.push({ text: `${joint} ${text}`, reason: oneCall });
}

function sameRequest({ partial: one }: ReadCall, { partial: other }: ReadCall): boolean {
  if (one === null || other === null) return false;
  return one.method === other.method && one.url === other.url && one.body === other.body;
}

/** Adds what is to be said of a command that is no call. */
function judgeOther(remarks: Remarks, step: Step, next: Step | undefined): void {
  const { joint, text, words } = step;
  if (words.length === 0) {
    for (const kind of ['ignored', 'adapted', 'unhonoured'] as const) {
      append(remarks[kind], step[kind]);
    }
    return;
  }
  const program = nameOf(words[0] ?? '');
  const written = `${joint} ${text}`.trim();
  const isSetting = program === 'export' || /^[A-Za-z_]\w*=/.test(words[0] ?? '');
  const isQuiet = isSetting || quiet.has(program);
  if (joint === '|' && program === 'logger') {
    remarks.adapted.push({ text: written, reason: reasons.ownRecord });
  } else if (joint === '|') remarks.unhonoured.push({ text: written, reason: noOtherCommand });
  else if (next?.joint === '|' && isCall(next)) {
    remarks.unhonoured.push({ text: `${text} |`, reason: noInput });
  } else if (!isQuiet) remarks.unhonoured.push({ text: written, reason: oneCommand });
  else if (program === 'sleep') {
    remarks.adapted.push({ text: written, reason: 'a job is called when it is due' });
  } else if (isSetting) {
    // What it sets may be secret.
    const through = proxyIn(words);
    if (through !== null) remarks.unhonoured.push({ text: through, reason: reasons.ownRoute });
  } else if (joint === '||') remarks.adapted.push({ text: written, reason: alertsInstead });
  else remarks.adapted.push({ text: written, reason: onlyTheCall });
}

/** Programs that run a script: its name says more. */
const interpreters = /^(?:php|python|perl|ruby|node|bash|sh)[\d.]*$/;
/** Words that only decide whether something is run. */
const conditions = new Set([
  '[',
  'test',
  '!',
  'if',
  'for',
  'while',
  'until',
  'then',
  'do',
  'else',
  'fi',
  'done',
]);

/** The first program that is no call, and does more than to prepare one; null if there is none. */
function programOf(steps: readonly Step[]): string | null {
  for (const { words } of steps) {
    const [first = ''] = words;
    const name = nameOf(first);
    const isNone = quiet.has(name) || conditions.has(name) || first.includes('=');
    if (isNone || toolOf(first) !== null || !/^[\w.-]*\w/.test(name)) continue;
    const script = words.slice(1, 8).find((word) => !word.startsWith('-'));
    return interpreters.test(name) && script !== undefined ? nameOf(script) : name;
  }
  return null;
}

/** Nested texts are read twice, and what is wrong with them is said once. */
function once(remarks: readonly Remark[]): Remark[] {
  return [
    ...new Map(remarks.map((remark) => [`${remark.text}\n${remark.reason}`, remark])).values(),
  ];
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

/** What a monitor does not learn of a command with a pipe; null if it has none, or may have seen to that. */
export function pipeNote(text: string): string | null {
  const isPiped = stepsOf(text, undefined).some(({ joint }) => joint === '|');
  if (!isPiped || text.includes('pipefail')) return null;
  return 'the monitor sees only the exit code of the last command of the pipe; bash with set -o pipefail would change that';
}

/** A name for the job that makes a call: its host and path. */
export function nameOfCall(url: string): string {
  const { hostname, pathname } = new URL(url);
  return `${hostname}${pathname === '/' ? '' : pathname}`.slice(0, nameRule.maxLength);
}

/** Without a call that takes them all as arguments: there may be a hundred thousand. */
function append(to: Remark[], more: readonly Remark[]): void {
  for (const one of more) to.push(one);
}
