/** Hooks for operations by POST that take no body. */

import type { FastifyRequest } from 'fastify';
import { invalidInput } from '../../domain/errors.ts';

type Done = (error?: Error) => void;

/** Forgets the content type of a request without a body: many clients name one all the same. */
export function ignoreTypeOfNothing({ headers }: FastifyRequest, _: unknown, done: Done): void {
  const isEmpty = (headers['content-length'] ?? '0') === '0';
  if (isEmpty && headers['transfer-encoding'] === undefined) delete headers['content-type'];
  done();
}

/** Refuses a body with fields: they would look as if they changed what is done. Some clients send `{}`. */
export function refuseBody({ body }: FastifyRequest, _: unknown, done: Done): void {
  const isNothing = body === undefined || body === null || isEmptyObject(body);
  done(isNothing ? undefined : invalidInput('the body must be empty, this operation takes none'));
}

function isEmptyObject(value: unknown): boolean {
  return (
    typeof value === 'object' && !Array.isArray(value) && Object.keys(value ?? {}).length === 0
  );
}
