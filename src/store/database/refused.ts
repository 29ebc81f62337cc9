import { systemCode } from '../../domain/errors.ts';

/**
 * Data that a column cannot hold (22), a constraint forbids (23) or an index is too small for (54). A row whose parent was
 * removed (23503) is not among them: the same work may succeed if it starts again.
 */
const ofData = /^(22...|23(?!503)...|54...|SQLITE_(CONSTRAINT(?!_FOREIGNKEY)|TOOBIG|MISMATCH).*)$/;

/** Whether the database refuses what a row holds, and would again: the other rows of a batch are to be written without it. */
export function isRefused(error: unknown): boolean {
  return ofData.test(systemCode(error));
}
