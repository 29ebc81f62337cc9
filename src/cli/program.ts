/** The command line as a whole: commands, help, and what every failure ends as. */

import { Command, CommanderError } from 'commander';
import { JobdError } from '../domain/errors.ts';
import { version } from '../version.ts';
import type { Context } from './context.ts';
import { standardOutput } from './output.ts';
import type { Output } from './output.ts';
import { plain } from './text.ts';

/** Adds a command, with those below it. */
type AddCommand = (program: Command, context: Context) => void;

/**
 * Every command, as help lists them. A command line stands in shell loops, and its start counts: what a command
 * needs is loaded only when it is asked for, or when nothing known is, and help has to show them all.
 */
const commands: Readonly<Record<string, () => Promise<AddCommand>>> = {
  serve: async () => (await import('./serve.ts')).addServeCommand,
  key: async () => (await import('./key.ts')).addKeyCommands,
  'signing-key': async () => (await import('./signing-key.ts')).addSigningKeyCommands,
  secrets: async () => (await import('./secrets.ts')).addSecretsCommands,
  account: async () => (await import('./account.ts')).addAccountCommands,
  workspace: async () => (await import('./workspace.ts')).addWorkspaceCommands,
  jobs: async () => (await import('./jobs.ts')).addJobCommands,
  export: async () => (await import('./definitions.ts')).addExportCommand,
  diff: async () => (await import('./definitions.ts')).addDiffCommand,
  apply: async () => (await import('./definitions.ts')).addApplyCommand,
  runs: async () => (await import('./runs.ts')).addRunCommands,
  monitors: async () => (await import('./monitors.ts')).addMonitorCommands,
  ping: async () => (await import('./ping.ts')).addPingCommand,
  channels: async () => (await import('./channels.ts')).addChannelCommands,
  schedule: async () => (await import('./schedule.ts')).addScheduleCommands,
  verify: async () => (await import('./verify.ts')).addVerifyCommand,
  backup: async () => (await import('./backup.ts')).addBackupCommand,
  restore: async () => (await import('./backup.ts')).addRestoreCommand,
  doctor: async () => (await import('./doctor.ts')).addDoctorCommand,
  licenses: async () => (await import('./licenses.ts')).addLicensesCommand,
};

/** Runs one command line, as in `process.argv`. Returns the exit code; never rejects. */
export async function run(argv: readonly string[]): Promise<number> {
  const context: Context = { output: standardOutput, argv, exitCode: 0 };
  try {
    const program = await createProgram(context);
    await program.parseAsync(argv);
    return context.exitCode;
  } catch (error) {
    return exitCodeOf(error, context.output);
  }
}

async function createProgram(context: Context): Promise<Command> {
  const program = new Command('jobd')
    .description('Calls URLs on schedule and records every run.')
    .version(version)
    .exitOverride();
  const add = await Promise.all(loadersFor(context.argv[2]).map((load) => load()));
  for (const addCommand of add) addCommand(program, context);
  return program;
}

function loadersFor(word = ''): (() => Promise<AddCommand>)[] {
  if (word === '--version' || word === '-V') return [];
  const named = Object.hasOwn(commands, word) ? commands[word] : undefined;
  return named === undefined ? Object.values(commands) : [named];
}

/** Commander has said what it had to say; all else is said here, in one sentence. */
function exitCodeOf(error: unknown, output: Output): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof JobdError) {
    output.say(`jobd: ${plain(error.message)}`);
    return error.exitCode;
  }
  if (isRefusalOfSystem(error)) {
    output.say(`jobd: ${plain(error.message)}`);
    return 1;
  }
  output.say(`jobd: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return 1;
}

/** A port in use, a directory that may not be written: no bug, and the message says which. */
function isRefusalOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
