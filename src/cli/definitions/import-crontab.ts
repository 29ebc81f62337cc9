/** `jobd import crontab`. */

import { writeFileSync } from 'node:fs';
import { text as readStream } from 'node:stream/consumers';
import { JobdError, systemCode } from '../../domain/errors.ts';
import { quoted } from '../../domain/shell/quote.ts';
import type { Context } from '../context.ts';
import { counted, plain } from '../terminal/text.ts';
import { printJson } from '../terminal/output.ts';
import { applyAndReport } from './apply.ts';
import { turnCrontab } from './crontab-jobs.ts';
import type { TurnedCrontab } from './crontab-jobs.ts';
import { emptyLoad, readDefinitions, readText } from './load.ts';
import { problemText } from './parse-file.ts';
import { makePlan } from './plan.ts';
import { asker } from './server.ts';

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
  const timezone = flags.tz ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const isZoneGiven = flags.tz !== undefined;
  const isSystem = flags.system === true;
  const turned = turnCrontab(text, { isSystem, timezone, isZoneGiven });
  if (flags.variables !== undefined) writeVariables(flags.variables, turned.variables);
  if (flags.apply) await apply(context, turned, flags);
  else if (flags.json) {
    const { left, text: yaml } = turned;
    printJson(output, {
      jobs: turned.turned,
      variables: [...turned.variables.keys()],
      left,
      yaml,
    });
  } else output.data(turned.text.trimEnd());
  tell(context, turned, isZoneGiven ? null : timezone);
}

async function textOf(file: string | undefined): Promise<string> {
  if (file !== undefined && file !== '-') return readText(file, file);
  if (file === undefined && process.stdin.isTTY) {
    throw new JobdError('usage', 'name a crontab, or: crontab -l | jobd import crontab');
  }
  return await readStream(process.stdin);
}

/** Assignments that a POSIX shell reads; only the owner may read the file. */
function writeVariables(path: string, variables: ReadonlyMap<string, string>): void {
  const lines = [...variables].map(([name, value]) => `${name}=${quoted(value)}\n`);
  try {
    writeFileSync(path, lines.join(''), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw new JobdError('usage', `${path} cannot be written: ${systemCode(error)}`, {
      cause: error,
    });
  }
}

async function apply(context: Context, turned: TurnedCrontab, flags: CrontabFlags): Promise<void> {
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
  await applyAndReport(context, ask, await makePlan(ask, loaded.definitions), flags);
}

function tell(context: Context, { turned, left }: TurnedCrontab, zone: string | null): void {
  const { output } = context;
  for (const { number, reason } of left) output.say(plain(`line ${number} skipped: ${reason}`));
  output.say(`turned ${turned} of ${counted(turned + left.length, 'line')}`);
  if (zone !== null && turned > 0)
    output.say(`times are read in ${zone} unless CRON_TZ is set; --tz says another zone`);
  if (left.length > 0 && context.exitCode === 0) context.exitCode = 1;
}
