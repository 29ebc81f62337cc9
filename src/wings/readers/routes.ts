import { badRequest, describe } from '../../api/description/operation.ts';
import type { ApiServer } from '../../api/http/fastify.ts';
import { PastedCommand, ReadCommand } from './contract.ts';
import { checkPastedLength, readPasted } from './pasted.ts';

const operations = describe(
  { tag: 'Jobs', isExtension: true },
  {
    readCommand: {
      summary: 'Read a command as a job',
      description:
        'Returns the fields of a job that calls what a curl or wget command, a line of a crontab or a URL calls, and what of it ' +
        'a job does not do. Nothing is stored, called or logged, but like every request other than GET it needs a key with `write`.',
      body: PastedCommand,
      response: { 200: ReadCommand },
      answer: 'What was read.',
      failures: { 400: badRequest('text is required') },
    },
  },
);

/** Adds the route. */
export function readerRoutes(server: ApiServer): void {
  const read = {
    config: { keepsNothing: true },
    ...operations.readCommand,
    // The schema would give the limit, and not what to do.
    preValidation: async ({ body }: { body: unknown }) => checkPastedLength(body),
  };
  server.post('/jobs/read-command', read, async ({ body }) => readPasted(body.text));
}
