/** The description of the API, as every jobd publishes it. */

import assert from 'node:assert/strict';
import type { OpenApiDocument } from '../../../src/api/description/openapi-document.ts';
import { startServer } from '../../../src/serve/server.ts';
import { systemClock } from '../../../src/domain/clock.ts';
import { openLog } from '../../../src/base/log.ts';
import type { Store } from '../../../src/store/database/store.ts';
import { quietApp } from '../running/app.ts';

/** What is known of a store before it is asked. Whoever reads the description asks nothing. */
const noStore = { admissions: null } as Store;

let read: Promise<OpenApiDocument> | undefined;

/** Reads it, once in a process. The server is not the one under test: there it would count as a request and a connection. */
export function publishedDescription(): Promise<OpenApiDocument> {
  return (read ??= readDescription());
}

async function readDescription(): Promise<OpenApiDocument> {
  const app = quietApp({ store: noStore, clock: systemClock });
  const options = { host: '127.0.0.1', port: 0, baseUrl: null, corsOrigins: [] };
  await using server = await startServer(app, options, openLog('silent'));
  const response = await fetch(`${server.url}/api/v1/openapi.json`);
  assert.equal(response.status, 200);
  return (await response.json()) as OpenApiDocument;
}
