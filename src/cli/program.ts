/** The command line as a whole: commands, help, and what every failure ends as. */

import { Command, CommanderError } from 'commander';
import { JobdError } from '../domain/errors.ts';
import { version } from '../version.ts';
import { addAccountCommands } from './account.ts';
import { addBackupCommands } from './backup.ts';
import { addChannelCommands } from './channels.ts';
import type { Context } from './context.ts';
import { addDoctorCommand } from './doctor.ts';
import { addJobCommands } from './jobs.ts';
import { addKeyCommands } from './key.ts';
import { addMonitorCommands } from './monitors.ts';
import { plain, standardOutput } from './output.ts';
import type { Output } from './output.ts';
import { addPingCommand } from './ping.ts';
import { addRunCommands } from './runs.ts';
import { addScheduleCommands } from './schedule.ts';
import { addSecretsCommands } from './secrets.ts';
import { addServeCommand } from './serve.ts';
import { addSigningKeyCommands } from './signing-key.ts';
import { addVerifyCommand } from './verify.ts';
import { addWorkspaceCommands } from './workspace.ts';

/** Runs one command line, as in `process.argv`. Returns the exit code; never rejects. */
export async function run(argv: readonly string[]): Promise<number> {
  const context: Context = { output: standardOutput, argv, exitCode: 0 };
  try {
    await createProgram(context).parseAsync(argv);
    return context.exitCode;
  } catch (error) {
    return exitCodeOf(error, context.output);
  }
}

function createProgram(context: Context): Command {
  const program = new Command('jobd')
    .description('Calls URLs on schedule and records every run.')
    .version(version)
    .exitOverride();
  addServeCommand(program, context);
  addKeyCommands(program, context);
  addSigningKeyCommands(program, context);
  addSecretsCommands(program, context);
  addAccountCommands(program, context);
  addWorkspaceCommands(program, context);
  addJobCommands(program, context);
  addRunCommands(program, context);
  addMonitorCommands(program, context);
  addPingCommand(program, context);
  addChannelCommands(program, context);
  addScheduleCommands(program, context);
  addVerifyCommand(program, context);
  addBackupCommands(program, context);
  addDoctorCommand(program, context);
  return program;
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
