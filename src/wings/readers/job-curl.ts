/** `--curl`: the fields of a job that makes the same call as a curl command. */

import type { JobUpdate } from '../../api/jobs/contract.ts';
import type { Flags } from '../../settings/config.ts';
import { readCommand } from './command.ts';
import { invalidInput, JobdError } from '../../domain/errors.ts';
import type { Remark } from './remark.ts';
import type { Output } from '../../cli/terminal/output.ts';
import { plain } from '../../cli/terminal/text.ts';

/** Options that set what the command also sets. */
const saidTwice = ['url', 'method', 'header', 'data'];

/**
 * The fields that the command gives. Options about curl itself are ignored and listed. Throws `invalid_input`, naming
 * everything that a job cannot do.
 */
export function fieldsOfCurl(command: string, flags: Flags, output: Output): JobUpdate {
  const twice = saidTwice.find((flag) => flags[flag] !== undefined);
  if (twice !== undefined) {
    throw new JobdError('usage', `use either --curl or --${twice}, not both`);
  }
  const { words, call, ignored, unhonoured } = readCommand(command);
  if (words[0] !== 'curl') throw invalidInput("--curl must be a command such as 'curl -X POST …'");
  if (call === null) throw refusal(unhonoured);
  const left = ignored.map(({ text }) => plain(text));
  if (left.length > 0) {
    output.say(`ignored (no effect on the request): ${left.join(' ')}`);
  }
  const { timeoutSeconds, retries, body, ...rest } = call;
  return {
    ...rest,
    ...(body !== null && { body }),
    ...(timeoutSeconds !== null && { timeoutSeconds }),
    ...(retries !== null && { retries }),
  };
}

function refusal(unhonoured: readonly Remark[]): JobdError {
  const all = unhonoured.map(({ text, reason }) => `${text} (${reason})`).join('; ');
  return invalidInput(`--curl has what a job cannot do: ${all}`);
}
