/** The ping URL of `jobd ping`: an argument, a file or a variable. Everybody on a machine can read the arguments of its processes. */

import { environmentVariable } from '../../settings/config.ts';
import { JobdError } from '../../domain/errors.ts';
import { textOrFile } from '../options.ts';

/** The words of a command line: the URL, if there is one, and the command after `--`. */
export interface PingWords {
  given: string | null;
  command: string[];
}

/** Tells the URL from the command. The first word is the URL, unless all words are after `--`. */
export function splitWords(words: readonly string[], argv: readonly string[]): PingWords {
  const at = argv.indexOf('--');
  const after = at === -1 ? 0 : argv.length - at - 1;
  const [given = null, ...command] = words;
  return words.length === after ? { given: null, command: [...words] } : { given, command };
}

/** The URL: as given, of `@FILE`, or of the environment if none is given. Throws `usage`. */
export async function findPingUrl(given: string | null): Promise<string> {
  const name = 'JOBD_PING_URL';
  const value = environmentVariable(name)?.trim() ?? '';
  if (given === null && value === '') {
    const sentence = `there is no ping URL: name it, or set ${name}; jobd monitors get shows it`;
    throw new JobdError('usage', sentence);
  }
  if (given === null) return checked(value, name);
  if (!given.startsWith('@')) return checked(given, 'the URL');
  return checked((await textOrFile(given, 'the ping URL')).trim(), `the text of ${given.slice(1)}`);
}

/** Accepts any path: only the server knows its monitors. What was given may be a secret, and is not repeated. */
function checked(text: string, name: string): string {
  const url = URL.parse(text);
  const isUrl = url !== null && /^https?:$/.test(url.protocol) && url.username === '';
  if (isUrl && !/\s/.test(text)) return text;
  throw new JobdError(
    'usage',
    `${name} must be the ping URL of a monitor, such as https://jobs.example.com/ping/5c1f…`,
  );
}
