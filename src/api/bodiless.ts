/**
 * Operations without a body, by POST. Clients name a content type of their own where they send nothing, and some send
 * `{}`; fields would look like wishes that come true.
 */

import type { FastifyRequest } from 'fastify';
import { invalidInput } from '../domain/errors.ts';

type Done = (error?: Error) => void;

/** Hooks for such a route. */
export const bodiless = {
  onRequest({ headers }: FastifyRequest, _: unknown, done: Done): void {
    const isEmpty = (headers['content-length'] ?? '0') === '0';
    if (isEmpty && headers['transfer-encoding'] === undefined) delete headers['content-type'];
    done();
  },
  preValidation({ body = null }: FastifyRequest, _: unknown, done: Done): void {
    const isNothing = body === null || isEmptyObject(body);
    done(isNothing ? undefined : invalidInput('the body must be empty, this operation takes none'));
  },
};

function isEmptyObject(value: unknown): boolean {
  return (
    typeof value === 'object' && !Array.isArray(value) && Object.keys(value ?? {}).length === 0
  );
}
