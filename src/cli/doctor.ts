/** `jobd doctor`: looks for what may be wrong with an installation. */

import type { Command } from 'commander';
import type { Finding } from '../app/doctor.ts';
import { dataDir, secretKeys, serveConfig } from '../config.ts';
import type { Flags } from '../config.ts';
import type { Context } from './context.ts';
import { plain, printJson } from './output.ts';

/** Adds the command. */
export function addDoctorCommand(program: Command, context: Context): void {
  const { output } = context;
  program
    .command('doctor')
    .description('look for what may be wrong: data directory, database, keys, clock, alerts')
    .option('--data <dir>', 'data directory')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  jobd doctor\n' +
        '  sudo -u jobd jobd doctor --data /var/lib/jobd --json\n' +
        '\nNothing is changed. The exit code is 1 if something fails.',
    )
    .action(async (flags: Flags) => {
      const findings: Finding[] = [];
      for await (const finding of examination(flags)) {
        findings.push(finding);
        if (flags['json']) continue;
        const { check, result, detail } = finding;
        const cells = [result, check, plain(detail)];
        output.data(output.isTerminal ? aligned(cells) : cells.join('\t'));
      }
      if (findings.some(({ result }) => result === 'fail')) context.exitCode = 1;
      if (flags['json']) printJson(output, { findings });
    });
}

async function* examination(flags: Flags): AsyncGenerator<Finding> {
  const { examine } = await import('../app/doctor.ts');
  const { masterKeysFor } = await import('../daemon.ts');
  const { systemClock } = await import('../domain/clock.ts');
  const configuration = configurationFinding(flags);
  yield configuration;
  if (configuration.result === 'fail') return;
  const directory = dataDir(flags);
  yield* examine({
    dataDir: directory,
    clock: systemClock,
    masterKeys: masterKeysFor(directory, { ...secretKeys(), next: null }),
    hasMailServer: serveConfig(flags).smtp !== null,
  });
}

/** The environment of this command; that of the daemon may be another one. */
function configurationFinding(flags: Flags): Finding {
  const check = 'configuration';
  try {
    serveConfig(flags);
    return { check, result: 'ok', detail: 'the environment of this command is valid' };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { check, result: 'fail', detail };
  }
}

const checkWidth = 'data directory'.length;

function aligned([result = '', check = '', detail = '']: readonly string[]): string {
  return `${result.padEnd(4)}  ${check.padEnd(checkWidth)}  ${detail}`;
}
