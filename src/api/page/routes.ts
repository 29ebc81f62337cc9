/** The pages in the browser: a document at each address that they have, and what it loads. */

import type { FastifyReply } from 'fastify';
import type { UnknownPage } from '../http/errors.ts';
import { fixedAnswer } from '../http/fixed-answer.ts';
import type { ApiServer } from '../http/fastify.ts';
import type { Assets } from './assets.ts';
import { documentAt, documentHeaders } from './document.ts';
import { pagePaths } from './paths.ts';

const htmlType = 'text/html; charset=utf-8';
/** Their names change with their bytes. */
const forever = 'public, max-age=31536000, immutable';

/** No page has an address of this many parts: the document names the way back from it several times. */
const mostParts = 20;

/** Adds them. They are public: what they show comes from the API. */
export function pageRoutes(server: ApiServer, assets: () => Promise<Assets>): void {
  for (const path of pagePaths) {
    const make = async (): Promise<string> => documentAt(path, await assets());
    const answer = fixedAnswer(htmlType, make);
    server.get(path, async (request, reply) => {
      await answer(request, reply.headers(documentHeaders));
    });
  }
  server.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const asset = Object.values(await assets()).find(({ name }) => name === request.params.name);
    if (asset === undefined) return reply.callNotFound();
    return reply.header('cache-control', forever).type(asset.type).send(asset.bytes);
  });
}

/** Shows somebody who typed an address, or followed an old link, a page that says so. */
export function unknownPage(assets: () => Promise<Assets>): UnknownPage {
  const show = async (path: string, reply: FastifyReply): Promise<FastifyReply> =>
    reply
      .code(404)
      .headers(documentHeaders)
      .type(htmlType)
      .send(documentAt(path, await assets()));
  return ({ method, url, headers }, reply) => {
    const path = url.split('?', 1)[0] ?? '';
    const isRead = method === 'GET' || method === 'HEAD';
    const isPage = isRead && !path.startsWith('/assets/') && headers.accept?.includes('text/html');
    if (isPage !== true || path.split('/', mostParts).length === mostParts) return null;
    return show(path, reply);
  };
}
