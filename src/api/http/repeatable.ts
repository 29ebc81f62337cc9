/** The header `Idempotency-Key`, with which a request may be repeated. */

import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Repeatable } from '../../domain/repeatable.ts';
import type { Refusal } from '../description/operation.ts';

/** The schema of the header; `description` says what it does. */
export function keyHeader(description: string, example: string) {
  return Type.Object({
    'idempotency-key': Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: `Any text, read as UTF-8. ${description}`,
        examples: [example],
      }),
    ),
  });
}

/** The header of what makes something. */
export const RepeatableHeaders = keyHeader(
  'For 24 hours, the same request with the same key makes nothing more: it returns what the first one made, as it is now. The newest ' +
    '10,000 keys of a workspace are remembered.',
  '6f1f0c1e-7f0b-4c3a-9d55-2f1f8f4a7c10',
);

export const usedKey: Refusal = {
  when: 'The `Idempotency-Key` was used for another request, or what it made was deleted since.',
  example:
    'this Idempotency-Key was used at 2025-10-23T09:00:00.000Z for another request: use a new one for each request',
};

/** A hook that decodes the header: Node makes a character of each byte, and most clients send UTF-8. */
export function readIdempotencyKey(
  { headers }: FastifyRequest,
  _: unknown,
  done: () => void,
): void {
  const bytes = Buffer.from(String(headers['idempotency-key'] ?? ''), 'latin1');
  if (bytes.length > 0 && isUtf8(bytes)) headers['idempotency-key'] = bytes.toString('utf8');
  done();
}

/** What tells a request from others with the same key; null without a key. */
export function repeatableOf({
  method,
  url,
  headers: { 'idempotency-key': key },
  body,
}: Pick<FastifyRequest, 'method' | 'url' | 'body'> & {
  headers: { 'idempotency-key'?: string };
}): Repeatable | null {
  return key === undefined ? null : { key, request: `${method} ${url} ${JSON.stringify(body)}` };
}
