/** Schemas are compiled at their first use, so here all of them are compiled once. */

import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { test, type TestContext } from 'node:test';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { compileAnswer } from '../../../src/api/http/serialization.ts';
import { compileSchema } from '../../../src/api/http/validation.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';

interface Content {
  content?: Record<string, { schema: object }>;
}

const requestParts = ['body', 'querystring', 'params', 'headers'] as const;

/** The routes that a daemon adds. */
async function routesOf(t: TestContext): Promise<RouteOptions[]> {
  const routes: RouteOptions[] = [];
  const collect = (message: unknown): void => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', (route) => void routes.push(route));
  };
  subscribe('fastify.initialization', collect);
  try {
    await startTestDaemon(t);
  } finally {
    unsubscribe('fastify.initialization', collect);
  }
  return routes;
}

test('every schema of a request and of an answer can be compiled', async (t) => {
  let compiled = 0;
  for (const { method, url, schema = {} } of await routesOf(t)) {
    const route = { method: String(method), url };
    for (const httpPart of requestParts) {
      const part = schema[httpPart];
      if (typeof part !== 'object' || part === null) continue;
      const validate = compileSchema({ ...route, schema: part, httpPart });
      assert.doesNotThrow(() => validate({}), `${httpPart} of ${route.method} ${url}`);
      compiled++;
    }
    for (const [httpStatus, answer] of Object.entries(schema.response ?? {})) {
      const { content } = answer as Content;
      const schemas = content ? Object.values(content).map((one) => one.schema) : [answer];
      for (const one of schemas) {
        const serialize = compileAnswer({ ...route, schema: one, httpStatus });
        // An answer without its required fields is refused, by a serializer that was compiled.
        assert.doesNotThrow(() => attempt(serialize), `${httpStatus} of ${route.method} ${url}`);
        compiled++;
      }
    }
  }
  assert.ok(compiled > 200, `${compiled} schemas`);
});

function attempt(serialize: (answer: unknown) => string): void {
  try {
    serialize({});
  } catch (error) {
    if (!/is required|does not match schema/.test(String(error))) throw error;
  }
}
