/** The target of a demo on loopback: what its frequent jobs and its channels call for real. */

import { setTimeout } from 'node:timers/promises';
import { startTarget, type Target } from '../fakes/target.ts';

/** How long each path takes, and what it answers. */
const answers: Readonly<Record<string, { ms: number; status: number; body: string }>> = {
  '/warm': { ms: 50, status: 200, body: '{"warmed":128}' },
  '/resize': { ms: 38_000, status: 200, body: '{"resized":412}' },
  '/alerts': { ms: 20, status: 204, body: '' },
  '/chat': { ms: 20, status: 503, body: 'service_unavailable' },
};

export async function startDemoTarget(): Promise<Target> {
  return await startTarget(async (request, response) => {
    const { ms, status, body } = answers[request.url ?? ''] ?? { ms: 0, status: 404, body: '' };
    request.resume();
    await setTimeout(ms, undefined, { ref: false });
    response.writeHead(status).end(body);
  });
}
