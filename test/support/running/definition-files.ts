/** Definitions that are sent to a served jobd: in files, by its commands, and over the API. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { DefinitionChange } from '../../../src/wings/definitions/server/contract.ts';
import { runCommand, serveCommand, type ServedDaemon } from './command.ts';
import type { TestDaemon } from './daemon.ts';
import type { Ran } from './program.ts';

export interface FileSetup {
  daemon: ServedDaemon;
  /** Writes a definition file. Returns its path. */
  write: (name: string, text: string) => string;
  /** Runs a command with additional environment variables. */
  jobd: (env: Record<string, string>, ...args: string[]) => Promise<Ran>;
}

/** Serves jobd in a new data directory. */
export async function serveForFiles(t: TestContext): Promise<FileSetup> {
  const daemon = await serveCommand(t);
  const write = (name: string, content: string): string => {
    const path = join(daemon.dataDir, name);
    writeFileSync(path, content);
    return path;
  };
  const jobd = (env: Record<string, string>, ...args: string[]): Promise<Ran> =>
    runCommand(args, { ...daemon.env, ...env });
  return { daemon, write, jobd };
}

/** Asserts an exit code, and words on stderr. */
export function assertEnds(ran: Ran, exitCode: number, words: RegExp): string {
  assert.equal(ran.exitCode, exitCode, ran.stderr);
  assert.match(ran.stderr, words);
  return ran.stdout;
}

/** Sends definitions over the API. Returns what came of them. */
export async function sendDefinitions(
  ask: TestDaemon['ask'],
  body: object,
  key?: string,
): Promise<DefinitionChange[]> {
  const answer = await ask('POST', '/definitions', body, key);
  assert.equal(answer.status, 200, answer.body.error);
  return answer.body.changes;
}

/** What came of a definition in a few words. */
export function wordsOf({ action, fields, refusal }: DefinitionChange): string {
  return refusal ? `${refusal.status} ${refusal.error}` : [action, ...fields].join(' ');
}
