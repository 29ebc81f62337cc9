/** Bodies of which only the beginning is kept, whatever they are: of any type, of none, of broken text. */

import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { startPreview } from '../../../domain/runs/preview.ts';
import { invalidInput, JobdError } from '../../../domain/errors.ts';
import { maxBodyBytes } from './connections.ts';

/** The beginning of a body, and whether there was more. */
export interface BodyPreview {
  text: string;
  truncated: boolean;
}

/** Makes `request.body` a `BodyPreview` on all routes of this server; no more than the preview is held. */
export function acceptAnyBody(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  // A type that is none would be refused before any parser is asked.
  server.addHook('onRequest', (request, _, done) => {
    delete request.headers['content-type'];
    done();
  });
  server.addContentTypeParser('*', async (_: FastifyRequest, payload: IncomingMessage) =>
    readPreview(payload),
  );
}

function readPreview(payload: IncomingMessage): Promise<BodyPreview> {
  return new Promise((resolve, reject) => {
    const preview = startPreview();
    let bytes = 0;
    let isLonger = false;
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > maxBodyBytes) return fail(tooLarge());
      isLonger ||= preview.push(chunk);
    };
    const onEnd = (): void => resolve(preview.finish(isLonger));
    const onError = (): void => fail(invalidInput('the body broke off'));
    const fail = (error: JobdError): void => {
      payload.off('data', onData).off('end', onEnd);
      reject(error);
    };
    payload.on('data', onData).once('end', onEnd).once('error', onError);
    if (Number(payload.headers['content-length'] ?? 0) > maxBodyBytes) fail(tooLarge());
  });
}

function tooLarge(): JobdError {
  return new JobdError('too_large', 'the request body must be at most 256 KiB');
}
