/** jobd as users run it: the built bundle in a process of its own. */

import { sinkTarget } from './seed.ts';
import { startServer } from './server.ts';
import type { HttpServer } from './server.ts';

export interface DaemonOptions {
  bundle: string;
  dataDir: string;
  concurrency: number;
  receipts: boolean;
  profileDir: string | null;
  env: Record<string, string>;
}

/** Starts it and resolves once it listens; disposing of it stops it as a service manager would. */
export async function startDaemon(options: DaemonOptions): Promise<HttpServer> {
  const { bundle, dataDir, concurrency, receipts, profileDir, env } = options;
  const serving = ['serve', '--data', dataDir, '--port', '0', '--allow-target', sinkTarget];
  const slots = ['--slots', String(concurrency), '--slots-per-host', String(concurrency)];
  const signing = receipts ? [] : ['--no-signing'];
  const command = [bundle, ...serving, ...slots, ...signing];
  return await startServer(command, profileDir, () => {}, env);
}
