/** The API of the server that a command asks. */

import type { Context } from '../context.ts';
import { createApi, type Api } from './api.ts';
import { createAsker } from './client.ts';
import { inOptionWords } from './option-words.ts';
import { withinRateLimit } from './retry.ts';
import { clientConfig } from './settings.ts';

/** Connects to the server of this command line. On a terminal, or if the command `waits`, a limit of requests is waited out, and that is said. */
export function connect({ output }: Pick<Context, 'output'>, { waits = false } = {}): Api {
  const ask = inOptionWords(createAsker(clientConfig()));
  return createApi(
    waits || process.stderr.isTTY ? withinRateLimit(ask, (text) => output.say(text)) : ask,
  );
}
