/** `jobd import`: what other schedulers run, as files of definitions. */

import { writeFileSync } from 'node:fs';
import { text as readStream } from 'node:stream/consumers';
import type { Command } from 'commander';
import { clientConfig } from '../config.ts';
import { JobdError } from '../domain/errors.ts';
import { createAsker } from './client.ts';
import type { Context } from './context.ts';
import { turnCrontab } from './definitions/crontab-jobs.ts';
import type { TurnedCrontab } from './definitions/crontab-jobs.ts';
import { emptyLoad, readDefinitions, readText } from './definitions/load.ts';
import { patiently } from './definitions/patience.ts';
import { problemText } from './definitions/place.ts';
import { makePlan } from './definitions/plan.ts';
import { applyAndReport } from './definitions.ts';
import { printJson } from './output.ts';
import { plain } from './text.ts';

interface CrontabFlags {
  system?: true;
  tz?: string;
  variables?: string;
  apply?: true;
  json?: true;
}

/** Adds the commands. */
export function addImportCommands(program: Command, context: Context): void {
  const { output } = context;
  program
    .command('import')
    .description('turn what other schedulers run into jobs')
    .command('crontab')
    .argument('[file]', 'the crontab; standard input if it is - or not given')
    .description('turn lines that call a URL by curl or wget into a file of definitions')
    .option('--system', 'the lines have a column with the user, as in /etc/crontab')
    .option('--tz <zone>', 'IANA time zone of the times (default: the one of this machine)')
    .option(
      '--variables <file>',
      'write the values that may be secret to this new file, for a shell',
    )
    .option('--apply', 'make the jobs, and write no file')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nWhat is not certain is not turned, but listed; the command then ends with 1.\n\nExamples:\n' +
        '  crontab -l | jobd import crontab > jobs.yaml\n' +
        '  jobd import crontab /etc/crontab --system --tz UTC --variables secrets.env > jobs.yaml\n' +
        '  set -a; . ./secrets.env; set +a; jobd apply -f jobs.yaml',
    )
    .action(async (file: string | undefined, flags: CrontabFlags) => {
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
    });
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
  const lines = [...variables].map(
    ([name, value]) => `${name}='${value.replaceAll("'", String.raw`'\''`)}'\n`,
  );
  try {
    writeFileSync(path, lines.join(''), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new JobdError('usage', `${path} cannot be written: ${why}`, { cause: error });
  }
}

async function apply(context: Context, turned: TurnedCrontab, flags: CrontabFlags): Promise<void> {
  const { output } = context;
  const ask = patiently(createAsker(clientConfig()), (line) => output.say(line));
  const loaded = emptyLoad();
  readDefinitions(
    loaded,
    { path: 'crontab', text: turned.text },
    { variable: (name) => turned.variables.get(name), file: () => '' },
  );
  // What was turned has been checked; a problem here is a bug.
  const [problem] = loaded.problems;
  if (problem !== undefined) throw new Error(problemText(problem));
  await applyAndReport(context, ask, await makePlan(ask, loaded.definitions), flags);
}

function tell(context: Context, { turned, left }: TurnedCrontab, zone: string | null): void {
  const { output } = context;
  for (const { number, reason } of left) output.say(plain(`line ${number}: not turned: ${reason}`));
  const lines = turned + left.length;
  output.say(`turned ${turned} of ${lines} ${lines === 1 ? 'line' : 'lines'}`);
  if (zone !== null && turned > 0)
    output.say(`times are read in ${zone} unless CRON_TZ is set; --tz says another zone`);
  if (left.length > 0 && context.exitCode === 0) context.exitCode = 1;
}
