/** `jobd calls create`: many one-time jobs, over the API. */

import type { Command } from 'commander';
import { connect } from '../../cli/client/connect.ts';
import { askOnce } from '../../cli/client/retry.ts';
import { waitVisibly } from '../../cli/client/wait.ts';
import type { Context } from '../../cli/context.ts';
import { interruptedExitCode } from '../../cli/exit-codes.ts';
import { textOrFile } from '../../cli/options.ts';
import { inMachineZone } from '../../cli/schedule/schedule-options.ts';
import { idCell } from '../../cli/terminal/cell.ts';
import { printJson, printRows } from '../../cli/terminal/output.ts';
import { counted } from '../../domain/counted.ts';
import { errorCodes, invalidInput, JobdError } from '../../domain/errors.ts';
import type { Flags } from '../../settings/config.ts';
import type { CallResults } from './routes.ts';

/** Of one request: a body is 256 KiB at most. */
const most = { calls: 100, bytes: 250_000 };

/** Adds the command. */
export function addCallCommands(program: Command, context: Context): void {
  const { output } = context;
  program
    .command('calls')
    .description('create many jobs that are called once')
    .command('create')
    .argument('<file>', 'a line of JSON for each call, or a JSON array; - for standard input')
    .description('create a job for each call, once for each key')
    .addHelpText('after', help)
    .action(async (file: string, flags: Flags) => {
      const { fields: zone } = await inMachineZone({});
      const [source, named] = file === '-' ? ['-', 'standard input'] : [`@${file}`, file];
      const given = callsIn(await textOrFile(source), named);
      const calls = given.map((call) => (typeof call === 'object' ? { ...zone, ...call } : call));
      const { ask } = connect(context, { waits: true });
      const results: CallResults['results'] = [];
      const done = () => `sent ${results.length} of ${counted(calls.length, 'call')}`;
      await waitVisibly(done, async (signal) => {
        try {
          while (results.length < calls.length && !signal.aborted) {
            const next = partOf(calls.slice(results.length, results.length + most.calls));
            results.push(...(await askOnce<CallResults>(ask, '/calls', { calls: next })).results);
          }
        } catch (error) {
          if (signal.aborted) return;
          if (results.length > 0) output.say(`stopped: ${done()}; the file can be sent again`);
          throw inFile(error, results.length);
        }
      });
      const refused = results.filter(({ id }) => id === null).length;
      if (refused > 0) context.exitCode = errorCodes.conflict.exitCode;
      if (results.length < calls.length) {
        output.say(`stopped: ${done()}`);
        context.exitCode = interruptedExitCode;
      }
      if (flags['json']) return printJson(output, { results });
      const made = results.filter(({ isNew }) => isNew).length;
      const known = results.length - made - refused;
      printRows(output, results, {
        key: ({ key }) => key,
        job: ({ id }) => idCell(id),
        because: ({ error }) => error,
      });
      const parts = [
        `created ${counted(made, 'job')}`,
        known > 0 && `${known} ${known === 1 ? 'was' : 'were'} there already`,
        refused > 0 && `${refused} refused`,
      ];
      output.say(parts.filter(Boolean).join(', '));
    });
}

const help = `
Example:
  echo '{"key":"order-4711","url":"https://example.com/","inSeconds":3600}' |
    jobd calls create -

A key that names a job already creates nothing, so a file can be sent again.`;

/** The calls of a text: JSON as the API takes it, an array of calls, or a line for each. Throws `invalid_input` with the name of the text. */
function callsIn(text: string, name: string): unknown[] {
  const whole = parsed(text);
  const isArray = text.trimStart().startsWith('[');
  if (isArray && 'problem' in whole) throw invalidInput(`${name} must be JSON: ${whole.problem}`);
  const calls =
    'value' in whole
      ? [(whole.value as { calls?: unknown } | null)?.calls ?? whole.value].flat()
      : text.split('\n').flatMap((line, index) => {
          const { value, problem } = line.trim() === '' ? {} : parsed(line);
          if (problem === undefined) return value === undefined ? [] : [value];
          const why = problem.replace(/position \d+ \(line 1 (column \d+)\)/, '$1');
          throw invalidInput(`line ${index + 1} of ${name} must be JSON: ${why}`);
        });
  if (calls.length === 0) throw invalidInput(`${name} must have at least one call`);
  return calls;
}

function parsed(text: string): { value?: unknown; problem?: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** As many calls as one body has room for, one at least. */
function partOf(calls: readonly unknown[]): unknown[] {
  let bytes = 0;
  return calls.filter((call, index) => {
    bytes += Buffer.byteLength(JSON.stringify(call)) + 1;
    return index === 0 || bytes <= most.bytes;
  });
}

/** An error of the server with the place of its call among all; the first is 1. */
function inFile(error: unknown, sent: number): unknown {
  const { cause = error, code } = error as JobdError;
  const [start, place] = /^calls\.(\d+)/.exec((cause as Error).message) ?? [];
  if (start === undefined) return error;
  const rest = (cause as Error).message.slice(start.length);
  const said = rest.startsWith('.') ? `: ${rest.slice(1)}` : rest;
  return new JobdError(code, `call ${sent + Number(place) + 1}${said}`, { cause });
}
