/** The command line as a whole: its commands, and how each failure ends. */

import { Command, CommanderError } from 'commander';
import { JobdError } from '../domain/errors.ts';
import { systemProblem } from '../domain/file-problem.ts';
import { version } from '../version.ts';
import type { Context } from '../cli/context.ts';
import { filesOf, headings, type AddCommands, type CommandFile, type Loaders } from './house.ts';
import { findSiteHere, localCommands } from './local.ts';
import { addedByWings } from './wings.ts';
import { withoutAliases } from '../cli/aliases.ts';
import { sayError, standardOutput } from '../cli/terminal/output.ts';
import { Cancelled } from '../cli/terminal/prompt.ts';
import { plain } from '../cli/terminal/text.ts';
import { usageText } from '../cli/unknown-words.ts';

/** `jobd login` looks for the server of this machine, as only commands of the operator can. */
async function loadLogin(): Promise<AddCommands> {
  const { addLoginCommands } = await import('../cli/client/login.ts');
  return (program, context) => addLoginCommands(program, context, findSiteHere);
}

/** `jobs run` waits for a run, so it lives with the runs. */
async function loadJobs(): Promise<AddCommands> {
  const { addJobCommands } = await import('../cli/jobs/jobs.ts');
  const { addRunNowCommand } = await import('../cli/runs/run-now.ts');
  return (program, context) => addRunNowCommand(addJobCommands(program, context), context);
}

const jobs: Loaders = {
  status: async () => (await import('../cli/status.ts')).addStatusCommand,
  trouble: async () => (await import('../cli/trouble.ts')).addTroubleCommand,
  jobs: loadJobs,
  runs: async () => (await import('../cli/runs/runs.ts')).addRunCommands,
  schedule: async () => (await import('../cli/schedule/schedule.ts')).addScheduleCommands,
  monitors: async () => (await import('../cli/monitors/monitors.ts')).addMonitorCommands,
  ping: async () => (await import('../cli/monitors/ping.ts')).addPingCommand,
  channels: async () => (await import('../cli/alerts/channels.ts')).addChannelCommands,
  audit: async () => (await import('../cli/accounts/audit.ts')).addAuditCommand,
};
const proof: Loaders = {
  verify: async () => (await import('../cli/runs/verify.ts')).addVerifyCommand,
};
const serve: Loaders = {
  demo: async () => (await import('../cli/operator/demo.ts')).addDemoCommand,
};
const licenses: Loaders = {
  licenses: async () => (await import('../cli/manual/licenses.ts')).addLicensesCommand,
};

const help: CommandFile = {
  heading: 'manual',
  names: ['help', 'completion', 'man'],
  load: async () => (await import('../cli/manual/help.ts')).addHelpCommands,
};

/**
 * All commands, in the order of the help. Shell loops call jobd often, so its start must be fast: only the file of the command
 * that is asked for is loaded, or all of them for help and for an unknown word.
 */
const files: readonly CommandFile[] = inOrder([
  ...localCommands,
  ...filesOf('serve', serve),
  { heading: 'client', names: ['login', 'logout', 'profile'], load: loadLogin },
  ...filesOf('jobs', jobs),
  ...filesOf('proof', proof),
  ...filesOf('manual', licenses),
  ...addedByWings.commands,
  help,
]);

function inOrder(of: readonly CommandFile[]): CommandFile[] {
  const order = Object.keys(headings);
  return of.toSorted((a, b) => order.indexOf(a.heading) - order.indexOf(b.heading));
}

/** Runs a command line, as in `process.argv`. Returns the exit code; never rejects. */
export async function run(given: readonly string[]): Promise<number> {
  const argv = withoutAliases(given);
  const context: Context = {
    output: standardOutput,
    argv,
    exitCode: 0,
    ...(addedByWings.readCurl !== undefined && { readCurl: addedByWings.readCurl }),
  };
  try {
    const program = await createProgram(context);
    await program.parseAsync(argv);
    return context.exitCode;
  } catch (error) {
    return exitCodeOf(error);
  }
}

/** Makes the program with the commands that the command line of the context needs. */
export async function createProgram(context: Context): Promise<Command> {
  const program = new Command('jobd')
    .description('Calls your URLs on a schedule and records every run.')
    .version(version)
    .option('--profile <name>', 'use the server and key of this profile (default JOBD_PROFILE)')
    .hook('preAction', async () => {
      const { profile } = program.opts<{ profile?: string }>();
      if (profile !== undefined) (await import('../cli/client/settings.ts')).useProfile(profile);
    })
    .addHelpText(
      'after',
      `
Examples:
  jobd serve
  jobd key create --name laptop | jobd login
  jobd jobs create --name hello --url https://example.com/ --every 5m

For scripts: jobd help exit-codes, jobd help environment`,
    )
    .configureOutput({
      writeErr: (text) => sayError(text.replace(/\n$/, '')),
    })
    .exitOverride();
  await addCommands(program, context);
  addJsonOption(program);
  wordErrors(program);
  return program;
}

/** Adds the commands that the command line needs, each under its heading. */
async function addCommands(program: Command, context: Context): Promise<void> {
  for (const { heading, add } of await Promise.all(filesFor(context.argv[2]).map(loaded))) {
    const before = program.commands.length;
    add(program, context);
    for (const added of program.commands.slice(before)) added.helpGroup(`${headings[heading]}:`);
  }
}

async function loaded({ heading, load }: CommandFile) {
  return { heading, add: await load() };
}

function filesFor(word = ''): readonly CommandFile[] {
  if (word === '--version' || word === '-V') return [];
  const named = files.filter(({ names }) => names.includes(word));
  return named.length === 0 || named.includes(help) ? files : named;
}

/** Every command but `serve` takes `--json`; some describe it in words of their own. */
function addJsonOption(command: Command): void {
  for (const child of command.commands) {
    const hasOwn = child.options.some(({ long }) => long === '--json');
    if (child.commands.length > 0) addJsonOption(child);
    else if (!hasOwn && child.name() !== 'serve') child.option('--json', 'print one JSON document');
  }
}

/** Errors of each command, in the words of jobd. */
function wordErrors(command: Command): void {
  command.configureOutput({ outputError: (text, write) => write(usageText(command, text)) });
  for (const child of command.commands) wordErrors(child);
}

/** Commander has printed its own errors. Any other is printed here, as one sentence. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof JobdError || isSystemError(error)) {
    const message = error instanceof JobdError ? error.message : systemProblem(error);
    sayError(`jobd: ${plain(message)}`);
    if (!(error instanceof JobdError)) return 1;
    for (const note of error.notes) sayError(`  ${plain(note)}`);
    return error.exitCode;
  }
  if (error instanceof Cancelled) {
    sayError(`jobd: ${error.message}`);
    return error.exitCode;
  }
  sayError(`jobd: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return 1;
}

/** A port in use, a directory without permission: no bug, and the message says which. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
