/** `--curl`: the fields of a job that makes the same call as a curl command. */

import type { JobUpdate } from '../../api/jobs/contract.ts';
import type { Flags } from '../../settings/config.ts';
import { readWritten } from './pasted.ts';
import { invalidInput, JobdError } from '../../domain/errors.ts';
import type { Remark } from './remark.ts';
import type { Output } from '../../cli/terminal/output.ts';
import { plain } from '../../cli/terminal/text.ts';

/** Options that set what the command also sets. */
const saidTwice = ['url', 'method', 'header', 'data'];

/**
 * The fields that the command gives; also those of its schedule, if it is a line of a crontab. Options about curl itself are
 * ignored and listed, and so is what a job does in another way. Throws `invalid_input`, naming everything that a job cannot do.
 */
export function fieldsOfCurl(command: string, flags: Flags, output: Output): JobUpdate {
  const twice = saidTwice.find((flag) => flags[flag] !== undefined);
  if (twice !== undefined) {
    throw new JobdError('usage', `use either --curl or --${twice}, not both`);
  }
  const { draft, ignored, adapted, unhonoured, problem } = readWritten(command);
  if (problem !== null) throw invalidInput(`--curl is not read: ${problem}`);
  if (draft?.url === undefined || unhonoured.length > 0) throw refusal(unhonoured);
  if (ignored.length > 0) {
    const texts = ignored.map(({ text }) => plain(text)).join(' ');
    output.say(`ignored (no effect on the request): ${texts}`);
  }
  for (const { text, reason } of adapted) output.say(plain(`${text}: ${reason}`));
  const { name: _, body, ...rest } = draft;
  return { ...rest, ...(body !== null && body !== undefined && { body }) };
}

function refusal(unhonoured: readonly Remark[]): JobdError {
  if (unhonoured.length === 0) {
    return invalidInput("--curl must be a command such as 'curl -X POST …'");
  }
  const all = unhonoured.map(({ text, reason }) => `${text} (${reason})`).join('; ');
  return invalidInput(`--curl has what a job cannot do: ${all}`);
}
