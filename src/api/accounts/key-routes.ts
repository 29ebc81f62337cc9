/** Routes of keys, for sessions of the owner. No key can make a key: a leaked one could outlive its revocation. */

import { createOwnersKey, listOwnersKeys, revokeOwnersKey } from '../../app/accounts/keys.ts';
import type { AccessApp } from '../../app/app.ts';
import type { Key as Kept } from '../../domain/accounts/key.ts';
import { isoTime, isoTimeOrNull, parseIsoTime } from '../../domain/clock.ts';
import { got, invalidInput } from '../../domain/errors.ts';
import { badRequest, describe, forOwners } from '../description/operation.ts';
import { Ok, pageRequest, PageQuery } from '../http/contract.ts';
import type { ApiServer } from '../http/fastify.ts';
import { RepeatableHeaders, repeatableOf, usedKey } from '../http/repeatable.ts';
import { KeyInput, KeyList, KeyMade, KeyPath, type Key } from './key-contract.ts';

const ownersOnly = forOwners('manage keys');

const operations = describe(
  { tag: 'Sign-in', noun: 'key', isExtension: true },
  {
    listKeys: {
      summary: 'List keys',
      description:
        'Returns the keys of the workspace, newest first, revoked and expired ones too. Only for sessions of the owner: ' +
        '`jobd open` starts one.',
      querystring: PageQuery,
      response: { 200: KeyList },
      answer: 'A page of keys.',
      failures: { 403: ownersOnly },
    },
    createKey: {
      summary: 'Create a key',
      description:
        'Creates a key of the workspace. An account may have 20 keys that are neither revoked nor expired. Only for sessions ' +
        'of the owner.',
      headers: RepeatableHeaders,
      body: KeyInput,
      response: { 201: KeyMade },
      answer: 'The key. `secret` is the key itself; it is shown only once.',
      failures: {
        400: badRequest('name must not be empty'),
        403: { ...ownersOnly, when: `${ownersOnly.when} Or the account has 20 keys.` },
        409: {
          ...usedKey,
          when: 'The `Idempotency-Key` was used before: the key that it made was in that answer alone.',
        },
      },
    },
    revokeKey: {
      summary: 'Revoke a key',
      description:
        'Revokes a key for good, and ends the sessions that were started with it. Only for sessions of the owner.',
      params: KeyPath,
      response: { 200: Ok },
      answer: 'The key is revoked.',
      failures: {
        403: ownersOnly,
        404: {
          when: 'The workspace has no such key, or it is revoked already.',
          example: 'there is no active key with id 0199c6a5-6e7f-7081-8b2c-3d4e5f607182',
        },
      },
    },
  },
);

/** Adds the routes. */
export function keyRoutes(server: ApiServer, app: AccessApp): void {
  server.get('/keys', operations.listKeys, async ({ principal, query }) => {
    const { items, nextCursor } = await listOwnersKeys(app, principal, pageRequest(query));
    return { keys: items.map(shape), nextCursor };
  });

  server.post('/keys', operations.createKey, async (request, reply) => {
    const { principal, body } = request;
    const { name, permission, expiresAt } = body;
    const input = { name, permission, expiresAt: momentOf(expiresAt ?? null) };
    const { key, secret } = await createOwnersKey(app, principal, input, repeatableOf(request));
    const answer = { key: shape(key), secret };
    return reply.code(201).at(`/keys/${key.id}`).send(answer);
  });

  server.delete('/keys/:id', operations.revokeKey, async ({ principal, params }) => {
    await revokeOwnersKey(app, principal, params.id);
    return { ok: true };
  });
}

function momentOf(text: string | null): number | null {
  if (text === null) return null;
  const at = parseIsoTime(text);
  if (at !== null) return at;
  throw invalidInput(`expiresAt must be an ISO 8601 time with an offset or Z, ${got(text)}`);
}

function shape({ id, name, permission, ...times }: Kept): Key {
  return {
    id,
    name,
    permission,
    createdAt: isoTime(times.createdAt),
    lastUsedAt: isoTimeOrNull(times.lastUsedAt),
    expiresAt: isoTimeOrNull(times.expiresAt),
    revokedAt: isoTimeOrNull(times.revokedAt),
  };
}
