/** `jobd import crontab`. */

import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { cannotMake } from '../../../base/whole-file.ts';
import { JobdError } from '../../../domain/errors.ts';
import { pipeNote } from '../../readers/command.ts';
import { findUserColumn, isSystemCrontab, parseCrontab } from '../../readers/crontab.ts';
import { quoted } from '../../../domain/quote.ts';
import { canonicalZone } from '../../../domain/schedule/zone.ts';
import type { Monitor } from '../../../api/monitors/contract.ts';
import { pages, type Ask } from '../../../cli/client/client.ts';
import { requirePingUrl } from '../../../cli/client/ping-url.ts';
import type { Context } from '../../../cli/context.ts';
import { counted } from '../../../domain/counted.ts';
import { plain } from '../../../cli/terminal/text.ts';
import { printJson } from '../../../cli/terminal/output.ts';
import { applyAndReport, reportRefusals } from './actions.ts';
import { machineZone } from '../../../cli/schedule/machine-zone.ts';
import { turnCrontab, type TurnedCrontab } from './crontab-jobs.ts';
import { pingPlaceholder, shownLine, wrappedLine } from './crontab-monitors.ts';
import { emptyLoad, readDefinitions, readInput, readText } from './load.ts';
import { problemText } from './parse-file.ts';
import { asker, sendDefinitions, type Plan } from './server.ts';

export interface CrontabFlags {
  system?: true;
  tz?: string;
  variables?: string;
  apply?: true;
  json?: true;
}

/** Turns a crontab into a file of definitions, or applies it directly. */
export async function importCrontab(
  context: Context,
  file: string | undefined,
  flags: CrontabFlags,
): Promise<void> {
  const { output } = context;
  const text = await textOf(file);
  const timezone = canonicalZone(flags.tz ?? machineZone(), '--tz');
  const isZoneGiven = flags.tz !== undefined;
  const isSystem = flags.system === true || namesUsers(context, file, text);
  const turned = turnCrontab(text, { isSystem, timezone, isZoneGiven });
  if (flags.variables !== undefined) writeVariables(flags.variables, turned.variables);
  let applied: Applied = { pingUrls: new Map(), refusedKeys: new Set() };
  if (flags.apply) applied = await apply(context, turned, { ...flags, path: file ?? 'crontab' });
  else if (flags.json) {
    const { left, monitored, text: yaml } = turned;
    const adapted = turned.adapted.map(({ line, key, remarks }) => {
      return { number: line.number, text: line.text, job: key, remarks };
    });
    const wrapped = monitored.map(({ line, key, why }) => {
      const changed = wrappedLine(line, pingPlaceholder);
      return { number: line.number, text: line.text, monitor: key, line: changed, why };
    });
    const variables = [...turned.variables.keys()];
    printJson(output, { jobs: turned.turned, variables, adapted, wrapped, left, yaml });
  } else output.data(turned.text.trimEnd());
  tellOfAdapted(context, turned);
  tellOfMonitors(context, turned, applied.pingUrls);
  tellOfJobs(context, turned, applied.refusedKeys, flags.apply === true);
  tell(context, turned, applied.refusedKeys.size, isZoneGiven ? null : timezone);
}

async function textOf(file: string | undefined): Promise<string> {
  if (file !== undefined && file !== '-') return readText(file, file);
  if (file === undefined && process.stdin.isTTY) {
    throw new JobdError('usage', 'name a crontab, or: crontab -l | jobd import crontab');
  }
  return await readInput(process.stdin);
}

/** Whether the file is one that cron reads with a column for the user. Throws `usage` if only its text looks like that. */
function namesUsers({ output }: Context, file: string | undefined, text: string): boolean {
  if (file !== undefined && file !== '-' && isSystemCrontab(resolve(file))) {
    output.say(plain(`${file} is a system crontab: its lines are read with a column for the user`));
    return true;
  }
  const found = findUserColumn(parseCrontab(text, { isSystem: false }).lines);
  if (found === null) return false;
  const { number, user } = found;
  throw new JobdError(
    'usage',
    `line ${number} of the crontab names the user ${user} before its command: if this is a system crontab, add --system; if ${user} is a command, write its path`,
  );
}

/** Assignments that a POSIX shell reads; only the owner may read the file. */
function writeVariables(path: string, variables: ReadonlyMap<string, string>): void {
  if (variables.size === 0) return;
  const lines = [...variables].map(([name, value]) => `${name}=${quoted(value)}\n`);
  try {
    writeFileSync(path, lines.join(''), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw cannotMake(path, error);
  }
}

/** What came of applying. */
interface Applied {
  /** The ping URLs of the monitors, by key. */
  pingUrls: ReadonlyMap<string, string>;
  /** The definitions that the server refused, by section and key. */
  refusedKeys: ReadonlySet<string>;
}

/** Applies the definitions that the server does not refuse. */
async function apply(
  context: Context,
  turned: TurnedCrontab,
  flags: CrontabFlags & { path: string },
): Promise<Applied> {
  const { output } = context;
  const ask = asker(output);
  const loaded = emptyLoad();
  readDefinitions(
    loaded,
    { path: 'crontab', text: turned.text },
    { variable: (name) => turned.variables.get(name), file: () => '' },
  );
  // The definitions have been checked; a problem here is a bug.
  const [problem] = loaded.problems;
  if (problem !== undefined) throw new Error(problemText(problem));
  const definitions = loaded.definitions.map((definition) => {
    const { section } = definition.kind;
    const line = turned.lines.get(`${section}/${definition.key}`) ?? 1;
    return { ...definition, place: { path: flags.path, line, column: 1 } };
  });
  const { changes } = await sendDefinitions(ask, definitions, { dryRun: true });
  reportRefusals(context, changes);
  const taken = changes.filter(({ refusal }) => refusal === null);
  const accepted = taken.flatMap(({ definition }) => definition ?? []);
  const done = await applyAndReport(context, ask, accepted, flags);
  const refused = [...changes, ...done.changes].filter(({ refusal }) => refusal !== null);
  const refusedKeys = new Set(refused.map(({ kind, key }) => `${kind.section}/${key}`));
  const pingUrls = turned.monitored.length > 0 ? await pingUrlsOf(ask, done) : new Map();
  return { pingUrls, refusedKeys };
}

/** The ping URLs of monitors, by key. */
async function pingUrlsOf(ask: Ask, { changes }: Plan): Promise<Map<string, string>> {
  const keys = new Map(changes.map(({ id, key }) => [id, key]));
  const monitors = await Array.fromAsync(pages<Monitor>(ask, '/monitors', 'monitors'));
  return new Map(
    monitors.flatMap(({ id, pingUrl }) => {
      const key = keys.get(id);
      return key === undefined ? [] : [[key, requirePingUrl(String(pingUrl))]];
    }),
  );
}

/** Says what jobs do in another way than their lines. */
function tellOfAdapted({ output }: Context, { adapted }: TurnedCrontab): void {
  for (const { line, name, remarks } of adapted) {
    for (const { text, reason } of remarks) {
      output.say(plain(`line ${line.number} of the crontab, job ${name}: ${text}: ${reason}`));
    }
  }
}

/** Says which lines cron must not go on with, since jobd makes these calls. */
function tellOfJobs(
  { output }: Context,
  { lines }: TurnedCrontab,
  refused: ReadonlySet<string>,
  isApplied: boolean,
): void {
  const numbers = [...lines].flatMap(([key, number]) =>
    key.startsWith('jobs/') && !refused.has(key) ? [number] : [],
  );
  if (numbers.length === 0) return;
  const take = isApplied ? 'take' : 'after jobd apply, take';
  const what = numbers.length === 1 ? 'line' : 'lines';
  output.say(`${take} ${what} ${numbers.join(', ')} out of the crontab: jobd makes these calls`);
}

/** Says which lines must be changed, so that they report to their monitors, and to what. */
function tellOfMonitors(
  { output }: Context,
  { monitored }: TurnedCrontab,
  pingUrls: ReadonlyMap<string, string>,
): void {
  for (const { line, key, name, why } of monitored) {
    const what = why === null ? 'runs a command' : `is no job (${why})`;
    const words = `line ${line.number} of the crontab ${what}; for the monitor ${name} change it`;
    const shown = shownLine(line, pingUrls.get(key) ?? pingPlaceholder);
    if (shown === null) {
      output.say(plain(`${words} by hand: it has control characters, which cannot be shown`));
      continue;
    }
    output.say(plain(`${words} to:`));
    // Not by `plain`, which would take its tabs.
    output.say(`  ${shown}`);
    const note = pipeNote(line.command);
    if (note !== null) output.say(note);
  }
  const where = 'is the ping URL: after jobd apply, jobd monitors get NAME shows it';
  if (monitored.some(({ key }) => !pingUrls.has(key))) output.say(`${pingPlaceholder} ${where}`);
}

function tell(
  context: Context,
  crontab: TurnedCrontab,
  refused: number,
  zone: string | null,
): void {
  const { output } = context;
  const { turned, monitored, left } = crontab;
  tellOfLeft(context, crontab);
  const all = turned + monitored.length + left.length;
  const parts = [counted(turned, 'job'), counted(monitored.length, 'monitor')];
  if (refused > 0) parts.push(`${refused} refused by the server`);
  const done = turned + monitored.length - refused;
  output.say(`turned ${done} of ${counted(all, 'line')}: ${parts.join(', ')}`);
  if (zone !== null && turned + monitored.length > 0)
    output.say(`times are read in ${zone} unless CRON_TZ is set; --tz says another zone`);
}

/** Says which lines were skipped, and why. */
function tellOfLeft(context: Context, { left }: TurnedCrontab): void {
  for (const { number, text, reason } of left) {
    context.output.say(plain(`line ${number} of the crontab skipped: ${reason}`));
    context.output.say(plain(`  ${text}`));
  }
  if (left.length > 0 && context.exitCode === 0) context.exitCode = 1;
}
