/** `jobd verify-call`: says who made a saved request. */

import type { Command } from 'commander';
import type { Flags } from '../../settings/config.ts';
import { invalidInput, JobdError, messageOf } from '../../domain/errors.ts';
import { fileProblem } from '../../domain/file-problem.ts';
import type { CallVerdict } from '../../identity/verify-call.ts';
import type { Context } from '../context.ts';
import { collect, parseMoment } from '../options.ts';
import { printFields, printJson } from '../terminal/output.ts';

const about = `
<request> is a saved HTTP request, or - for standard input: its request line,
its headers, an empty line and its body, as they were received. --keys is a file
with the keys, as jobd call-key export prints it, or the URL of
/.well-known/jwks.json; only a URL is asked.

With --audience only a token is valid: a signature does not say who it is for.
Of a request with both, the token is checked.

The exit code is 0 if the request is valid, 1 if it is not, and 2 if nothing can
be checked. One check cannot tell whether a request came twice.

Examples:
  jobd verify-call request.txt --keys keys.json
  jobd verify-call request.txt --keys keys.json --at 2026-03-02T10:00:00Z
  jobd verify-call - --keys https://jobd.example.com/.well-known/jwks.json`;

/** Adds the command. It loads the checks only when it runs. */
export function addVerifyCallCommand(program: Command, context: Context): void {
  const { output } = context;
  program
    .command('verify-call')
    .argument('<request>', 'a saved request')
    .description('say who made a request, by its signature or its token')
    .addOption(
      program
        .createOption('--keys <file|url>', 'keys that you trust; may be repeated')
        .argParser(collect)
        .makeOptionMandatory(),
    )
    .option('--audience <text>', 'demand a token, for this audience (default: any audience)')
    .option('--at <time>', 'check as of this time (default: now)')
    .addOption(
      program
        .createOption('--scheme <scheme>', 'scheme of the URL that was called')
        .choices(['http', 'https'])
        .default('https'),
    )
    .addHelpText('after', about)
    .action(async (path: string, flags: Flags) => {
      const { readRequest } = await import('../../identity/raw-request.ts');
      const { readCallKeys, verifyCall } = await import('../../identity/verify-call.ts');
      const keys = readCallKeys(await Promise.all((flags['keys'] as string[]).map(readKeys)));
      const scheme = flags['scheme'] === 'http' ? 'http' : 'https';
      const bytes = await readBytes(path);
      const now = Date.now();
      const at =
        flags['at'] === undefined ? now : await parseMoment(String(flags['at']), '--at', now, -1);
      const audience = flags['audience'] === undefined ? null : String(flags['audience']);
      const check: Check = (saved, as) =>
        verifyCall(readRequest(saved, as), keys, { at, audience });
      const verdict = check(bytes, scheme);
      context.exitCode = verdict.verdict === 'valid' ? 0 : 1;
      if (flags['json']) return printJson(output, verdict);
      if (verdict.verdict === 'invalid') {
        output.data(`invalid: ${verdict.reason}`);
        const hint = hintFor(bytes, scheme, check);
        if (hint !== null) output.say(hint);
        return;
      }
      printFields(output, fieldsOf(verdict, audience));
    });
}

type Check = (saved: Buffer, as: 'http' | 'https') => CallVerdict;

/** How the same request would be valid, if it was not saved as it came; null if it would not. */
function hintFor(bytes: Buffer, scheme: 'http' | 'https', check: Check): string | null {
  // A saved request does not say its scheme, which is signed.
  const other = scheme === 'http' ? 'https' : 'http';
  if (check(bytes, other).verdict === 'valid')
    return `as a call by ${other} it is valid: --scheme ${other}`;
  // Many editors end each file with a line break.
  const cut = withoutLastBreak(bytes);
  const remedy = 'remove that break, which an editor may have added';
  if (check(cut, scheme).verdict === 'valid')
    return `without the line break at its end it is valid: ${remedy}`;
  if (check(cut, other).verdict === 'valid')
    return `as a call by ${other}, without the line break at its end, it is valid: --scheme ${other}, and ${remedy}`;
  return null;
}

function withoutLastBreak(bytes: Buffer): Buffer {
  if (bytes.at(-1) !== lineFeed) return bytes;
  return bytes.subarray(0, bytes.at(-2) === carriageReturn ? -2 : -1);
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

function fieldsOf(verdict: CallVerdict & { verdict: 'valid' }, asked: string | null) {
  const { kind, issuer, workspaceId, jobId, runId, scheduledFor } = verdict;
  const { audience, covered, expiresAt, keyId } = verdict;
  return {
    verdict: 'valid',
    caller: issuer,
    ...(workspaceId !== null && { workspace: workspaceId }),
    ...(jobId !== null && { job: jobId }),
    run: runId,
    'scheduled for': scheduledFor,
    ...(audience !== null && { audience: asked === null ? `${audience} (not checked)` : audience }),
    proof: kind === 'httpsig' ? 'a signature of the request' : 'a token',
    covered: covered.join(', '),
    expires: expiresAt,
    key: keyId,
  };
}

async function readKeys(place: string): Promise<unknown> {
  const isUrl = /^https?:\/\//i.test(place);
  const text = isUrl ? await fetchText(place) : (await readBytes(place)).toString();
  if (text.length > mostBytes) throw invalidInput(`${place} has no keys: it has more than 1 MiB`);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalidInput(`${place} has no keys: it is not JSON`);
  }
}

/** Most bytes of a request, or of keys. */
const mostBytes = 1_048_576;
/** How long a server may take. */
const longestMs = 10_000;

async function fetchText(url: string): Promise<string> {
  const { exchangeFollowing } = await import('../client/exchange.ts');
  const signal = AbortSignal.timeout(longestMs);
  const question = { method: 'GET', headers: { accept: 'application/json' }, body: null, signal };
  const answer = await exchangeFollowing(url, question).catch((error: unknown) => {
    throw invalidInput(`the keys at ${url} cannot be fetched: ${messageOf(error)}`);
  });
  if (answer.status === 200) return answer.text;
  throw invalidInput(`${url} answers ${answer.status}, and no keys`);
}

/** Reads a file, or standard input; of what is longer than any request or set of keys only the beginning. */
async function readBytes(path: string): Promise<Buffer> {
  const { createReadStream } = await import('node:fs');
  const source = path === '-' ? process.stdin : createReadStream(path);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of source) {
      chunks.push(chunk as Buffer);
      length += (chunk as Buffer).length;
      if (length > mostBytes) break;
    }
  } catch (error) {
    throw new JobdError('usage', fileProblem(path, error), { cause: error });
  }
  return Buffer.concat(chunks);
}
