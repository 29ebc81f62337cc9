/** Routes of windows. */

import { badRequest, describe, notPaid } from '../../api/description/operation.ts';
import { withoutBody } from '../../api/http/body.ts';
import { namedRequest, NamedQuery, Ok } from '../../api/http/contract.ts';
import type { ApiServer } from '../../api/http/fastify.ts';
import { RepeatableHeaders, repeatableOf, usedKey } from '../../api/http/repeatable.ts';
import type { App } from '../../app/app.ts';
import { WindowInput, WindowList, WindowPath, WindowResponse, WindowUpdate } from './contract.ts';
import {
  createWindow,
  deleteWindow,
  endWindow,
  getWindow,
  mostWindows,
  pageOfWindows,
  updateWindow,
} from './windows.ts';

const operations = describe(
  { tag: 'Windows', noun: 'window', isExtension: true },
  {
    listWindows: {
      summary: 'List windows',
      description:
        'Returns the windows of the workspace, newest first. Those that are over are kept for 30 days, up to 100.',
      querystring: NamedQuery,
      response: { 200: WindowList },
      answer: 'A page of windows.',
    },
    createWindow: {
      summary: 'Create a window',
      description:
        'While a window with the effect `mute` lasts, no channel is alerted of the jobs and monitors that it is about. After it, ' +
        'each channel gets at most one alert of each: of its state then, if that is not what the channel was told last. ' +
        'With the effect `hold`, due times in it are neither called nor missed. It counts from the next due time on that is decided on.',
      headers: RepeatableHeaders,
      body: WindowInput,
      response: { 201: WindowResponse },
      answer: 'The window.',
      failures: {
        400: badRequest('until or durationSeconds is needed: when it ends, or how long it lasts'),
        402: notPaid,
        403: `The key may only read, or the workspace has ${mostWindows} windows that are not over.`,
        409: usedKey,
      },
    },
    getWindow: {
      summary: 'Get a window',
      description: 'Returns the window, and whether it is in effect now.',
      params: WindowPath,
      response: { 200: WindowResponse },
      answer: 'The window.',
    },
    updateWindow: {
      summary: 'Change a window',
      description:
        'Only the given fields change. A period that was ended early and is changed counts again.',
      params: WindowPath,
      body: WindowUpdate,
      response: { 200: WindowResponse },
      answer: 'The window as it is now.',
      failures: {
        402: notPaid,
        403: `The key may only read, or the window was over and the workspace has ${mostWindows} that are not.`,
      },
    },
    endWindow: {
      summary: 'End a window early',
      description:
        'Ends the period that the window is in. A recurring window begins again at its next time.',
      params: WindowPath,
      response: { 200: WindowResponse },
      answer: 'The window as it is now.',
      failures: {
        409: {
          when: 'It is not on.',
          example: 'the window patch night is not on: to keep it from beginning, delete it',
        },
      },
    },
    deleteWindow: {
      summary: 'Delete a window',
      description: 'Deletes the window. If it is on, it ends.',
      params: WindowPath,
      response: { 200: Ok },
      answer: 'The window is deleted.',
    },
  },
);

/** Adds the routes. */
export function windowRoutes(server: ApiServer, app: App): void {
  server.get('/windows', operations.listWindows, async ({ principal, query }) => {
    const { items, nextCursor } = await pageOfWindows(app, principal, namedRequest(query));
    return { windows: items, nextCursor };
  });
  server.post('/windows', operations.createWindow, async (request, reply) => {
    const { principal, body } = request;
    const window = await createWindow(app, principal, body, repeatableOf(request));
    return reply.code(201).at(`/windows/${window.id}`).send({ window });
  });
  server.get('/windows/:id', operations.getWindow, async ({ principal, params }) => ({
    window: await getWindow(app, principal, params.id),
  }));
  server.patch('/windows/:id', operations.updateWindow, async ({ principal, params, body }) => ({
    window: await updateWindow(app, principal, params.id, body),
  }));
  server.post(
    '/windows/:id/end',
    { ...operations.endWindow, ...withoutBody },
    async ({ principal, params }) => ({ window: await endWindow(app, principal, params.id) }),
  );
  server.delete('/windows/:id', operations.deleteWindow, async ({ principal, params }) => {
    await deleteWindow(app, principal, params.id);
    return { ok: true };
  });
}
