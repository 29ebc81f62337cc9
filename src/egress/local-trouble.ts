/** What this machine lacks to begin a call. No target is to blame for it, and a moment later it may be there. */
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { systemCode } from '../domain/errors.ts';

const words = new Map([
  ['EMFILE', 'jobd has too many open files'],
  ['ENFILE', 'this machine has too many open files'],
  ['ENOBUFS', 'this machine is out of network buffers'],
  ['ENOMEM', 'this machine is out of memory'],
  ['EADDRNOTAVAIL', 'this machine has no free port to connect from'],
  ['ERR_WORKER_INIT_FAILED', 'no thread can be started'],
]);

/** Thrown inside egress, and caught there: nothing was sent. Its message is for people. */
export class LocalTrouble extends Error {
  override readonly name = 'LocalTrouble';
}

/** The trouble that an error of the system stands for; null if it is not this machine's. */
export function localTrouble(error: unknown): LocalTrouble | null {
  const code = systemCode(error);
  const what = words.get(code);
  return what === undefined ? null : new LocalTrouble(`${what} (${code})`, { cause: error });
}

/** Throws LocalTrouble if no file can be opened: c-ares does not say so, it names the DNS server instead. */
export function checkOpenFiles(): void {
  try {
    closeSync(openSync(devNull, 'r'));
  } catch (error) {
    throw localTrouble(error) ?? error;
  }
}
