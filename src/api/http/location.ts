/** Where a created object is: the header `Location` (RFC 9110 section 10.2.2). */

import type { FastifyInstance, FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyReply {
    /** Says that the object is at `path` of the API, as an absolute URL. */
    at(path: string): this;
  }
}

/** Lets answers say where an object is; `apiUrl` returns the absolute base URL of the API, without a trailing slash. */
export function locateAnswers(server: FastifyInstance, apiUrl: () => string): void {
  server.decorateReply('at', function at(this: FastifyReply, path: string) {
    return this.header('location', `${apiUrl()}${path}`);
  });
}
