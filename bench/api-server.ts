/** The two servers that bench/api asks. */

import { join } from 'node:path';
import { sinkTarget } from './seed.ts';
import { startServer } from './server.ts';
import type { HttpServer } from './server.ts';

/** jobd as users run it: the built bundle, with the defaults of `jobd serve`. */
export async function startJobd(
  { bundle, profileDir }: { bundle: string; profileDir: string | null },
  dataDir: string,
  onLog?: (lines: string) => void,
): Promise<HttpServer> {
  const serving = ['serve', '--data', dataDir, '--port', '0', '--allow-target', sinkTarget];
  return await startServer([bundle, ...serving], profileDir, onLog);
}

/** The yardstick: bare fastify on a file of its own. */
export async function startBare(
  { profileDir }: { profileDir: string | null },
  dataDir: string,
): Promise<HttpServer> {
  return await startServer([join(import.meta.dirname, 'api-bare.ts'), dataDir], profileDir);
}
