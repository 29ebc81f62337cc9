/** The command line as a whole: its commands, and how each failure ends. */

import { Command, CommanderError } from 'commander';
import { JobdError } from '../domain/errors.ts';
import { version } from '../version.ts';
import type { Context } from './context.ts';
import { withoutAliases } from './aliases.ts';
import { standardOutput } from './terminal/output.ts';
import type { Output } from './terminal/output.ts';
import { plain, plainText } from './terminal/text.ts';
import { usageText } from './unknown-words.ts';

/** Loads the file of a command, and returns what adds it. */
type Loader = () => Promise<(program: Command, context: Context) => void>;

const definitions: Loader = async () =>
  (await import('./definitions/commands.ts')).addDefinitionCommands;
/** `jobd login` looks for the server of this machine, as only commands of the operator can. */
const login: Loader = async () => {
  const { addLoginCommands } = await import('./client/login.ts');
  return (program, context) =>
    addLoginCommands(program, context, async (output) => {
      const { siteHere } = await import('./operator/site.ts');
      return await siteHere(output);
    });
};
const help: Loader = async () => (await import('./manual/help.ts')).addHelpCommands;

/** `jobs run` waits for a run, so it lives with the runs. */
const jobs: Loader = async () => {
  const { addJobCommands } = await import('./jobs/jobs.ts');
  const { addRunNowCommand } = await import('./runs/run-now.ts');
  return (program, context) => addRunNowCommand(addJobCommands(program, context), context);
};

/**
 * Every command, in the order of the help. Shell loops call jobd often, so its start must be fast: only the command that
 * is asked for is loaded, or all of them for help and for an unknown word.
 */
const loaders: Readonly<Record<string, Loader>> = {
  serve: async () => (await import('./operator/serve.ts')).addServeCommand,
  demo: async () => (await import('./operator/demo.ts')).addDemoCommand,
  open: async () => (await import('./operator/open.ts')).addOpenCommand,
  key: async () => (await import('./operator/key.ts')).addKeyCommands,
  session: async () => (await import('./operator/session.ts')).addSessionCommands,
  'signing-key': async () => (await import('./operator/signing-key.ts')).addSigningKeyCommands,
  'call-key': async () => (await import('./operator/call-key.ts')).addCallKeyCommands,
  secrets: async () => (await import('./operator/secrets.ts')).addSecretsCommands,
  account: async () => (await import('./operator/account.ts')).addAccountCommands,
  workspace: async () => (await import('./operator/workspace.ts')).addWorkspaceCommands,
  login,
  logout: login,
  profile: login,
  jobs,
  export: definitions,
  diff: definitions,
  apply: definitions,
  import: async () => (await import('./definitions/commands.ts')).addImportCommands,
  runs: async () => (await import('./runs/runs.ts')).addRunCommands,
  explain: async () => (await import('./runs/explain.ts')).addExplainCommand,
  monitors: async () => (await import('./monitors/monitors.ts')).addMonitorCommands,
  ping: async () => (await import('./monitors/ping.ts')).addPingCommand,
  channels: async () => (await import('./alerts/channels.ts')).addChannelCommands,
  ledger: async () => (await import('./ledger/ledger.ts')).addLedgerCommands,
  audit: async () => (await import('./accounts/audit.ts')).addAuditCommand,
  schedule: async () => (await import('./schedule/schedule.ts')).addScheduleCommands,
  verify: async () => (await import('./receipts/verify.ts')).addVerifyCommand,
  'verify-call': async () => (await import('./calls/verify-call.ts')).addVerifyCallCommand,
  backup: async () => (await import('./operator/backup.ts')).addBackupCommand,
  restore: async () => (await import('./operator/restore.ts')).addRestoreCommand,
  'migrate-store': async () => (await import('./operator/migrate-store.ts')).addMigrateStoreCommand,
  nodes: async () => (await import('./operator/nodes.ts')).addNodesCommand,
  doctor: async () => (await import('./operator/doctor.ts')).addDoctorCommand,
  'self-test': async () => (await import('./operator/self-test.ts')).addSelfTestCommand,
  upgrade: async () => (await import('./operator/upgrade.ts')).addUpgradeCommand,
  licenses: async () => (await import('./manual/licenses.ts')).addLicensesCommand,
  help,
  completion: help,
  man: help,
};

/** Runs a command line, as in `process.argv`. Returns the exit code; never rejects. */
export async function run(given: readonly string[]): Promise<number> {
  const argv = withoutAliases(given);
  const context: Context = { output: standardOutput, argv, exitCode: 0 };
  try {
    const program = await createProgram(context);
    await program.parseAsync(argv);
    return context.exitCode;
  } catch (error) {
    return exitCodeOf(error, context.output);
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
      if (profile !== undefined) (await import('./client/settings.ts')).useProfile(profile);
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
      writeErr: (text) => void process.stderr.write(plainText(text)),
    })
    .exitOverride();
  const add = await Promise.all([...loadersFor(context.argv[2])].map((load) => load()));
  for (const addCommand of add) addCommand(program, context);
  addJsonOption(program);
  wordErrors(program);
  return program;
}

function loadersFor(word = ''): Iterable<Loader> {
  if (word === '--version' || word === '-V') return [];
  const named = Object.hasOwn(loaders, word) ? loaders[word] : undefined;
  return named === undefined || named === help ? new Set(Object.values(loaders)) : [named];
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
function exitCodeOf(error: unknown, output: Output): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof JobdError || isSystemError(error)) {
    output.say(`jobd: ${plain(error.message)}${againIn(error)}`);
    if (!(error instanceof JobdError)) return 1;
    for (const note of error.notes) output.say(`  ${plain(note)}`);
    return error.exitCode;
  }
  output.say(`jobd: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return 1;
}

/** When to try again, unless the message says it. */
function againIn(error: Error): string {
  if (!(error instanceof JobdError) || error.code !== 'rate_limited') return '';
  const { retryAfterSeconds, message } = error;
  return retryAfterSeconds === undefined || / in \d+ s$/.test(message)
    ? ''
    : `: again in ${retryAfterSeconds} s`;
}

/** A port in use, a directory without permission: no bug, and the message says which. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
