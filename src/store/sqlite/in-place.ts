/** Whether open files are still where they were opened. Elsewhere, or nowhere, they would not be found at the next start. */

import { closeSync, openSync, readdirSync, readlinkSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { ifPossible, type JobdError, storeUnusable, systemCode } from '../../domain/errors.ts';

/** What tells a file from others; null if there is none, undefined if that cannot be seen. */
export function identityOf(path: string): string | null | undefined {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? null : `${found.dev} ${found.ino}`;
  } catch (error) {
    return systemCode(error) === 'ENOTDIR' ? null : undefined;
  }
}

/** Makes a function that returns why a database that is open now must not be written any more; null if it may be. */
export function watchPlace(path: string): () => JobdError | null {
  const paths = [path, `${path}-wal`];
  const opened = new Map<string, string>();
  return () => {
    for (const one of paths) {
      const there = identityOf(one);
      const before = opened.get(one);
      if (before === undefined && typeof there === 'string') opened.set(one, there);
      if (before === undefined || there === undefined || there === before) continue;
      return storeUnusable(
        `${basename(one)} was moved, removed or replaced while it was in use, and what is stored now would be lost. If it was moved, move it back: jobd continues by itself. If not, run jobd doctor before you stop jobd: it says how to save what jobd has open`,
      );
    }
    return null;
  };
}

/** The files that a process has open, by what the system calls them; none if that cannot be seen. */
function openFilesOf(pid: string): string[] {
  const directory = `/proc/${pid}/fd`;
  return namesIn(directory).map((name) => `${directory}/${name}`);
}

/** Whether a process has the file open that is at this path now; null if that cannot be seen. */
export function hasOpen(pid: string, path: string): boolean | null {
  const there = identityOf(path);
  const files = openFilesOf(pid);
  if (files.length === 0) return null;
  return typeof there === 'string' && files.some((file) => identityOf(file) === there);
}

/** A file of a database that a process has open. */
export interface OpenFile {
  /** Where it is now; null if it was removed. */
  path: string | null;
  /** What it can be read by as long as the process lives. */
  descriptor: string;
  /** Whether it is a write-ahead log. */
  isLog: boolean;
}

/** The files of databases that a process has open, without its locks; none if that cannot be seen. */
export function databasesOpenIn(pid: string): OpenFile[] {
  return openFilesOf(pid).flatMap((descriptor) => {
    const link = linkOf(descriptor) ?? '';
    const isRemoved = link.endsWith(' (deleted)');
    const first = firstBytesOf(descriptor);
    const isLog = /^377f068[23]/.test(first.toString('hex'));
    if (link.includes('.lock') || !(isLog || first.toString() === 'SQLite format 3\0')) return [];
    return [{ path: isRemoved ? null : link, descriptor, isLog }];
  });
}

function firstBytesOf(path: string): Buffer {
  try {
    if (!statSync(path).isFile()) return Buffer.alloc(0);
    const descriptor = openSync(path, 'r');
    try {
      const first = Buffer.alloc(16);
      return first.subarray(0, readSync(descriptor, first, 0, first.length, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return Buffer.alloc(0);
  }
}

/** The process that has a file open which was at this path, an absolute one, and was removed; undefined if none is seen. */
export function whoHasRemoved(path: string): string | undefined {
  const removed = `${path} (deleted)`;
  const pids = namesIn('/proc').filter((name) => /^\d+$/.test(name));
  return pids.find((pid) => openFilesOf(pid).some((file) => linkOf(file) === removed));
}

/** What is in a directory; nothing if there is none, or this user may not look. */
export function namesIn(directory: string): string[] {
  return ifPossible(() => readdirSync(directory)) ?? [];
}

function linkOf(path: string): string | undefined {
  return ifPossible(() => readlinkSync(path));
}
