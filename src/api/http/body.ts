/**
 * Request bodies: JSON on most routes, none on some, JSON of any declared type for reports, anything on pings. Strings in JSON must be storable: UTF-8 (RFC 8259
 * section 8.1), without unpaired surrogates, which no database and no header could hold (section 8.2).
 */

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hasHalfPair } from '../../domain/characters.ts';
import { invalidInput, JobdError } from '../../domain/errors.ts';
import { startPreview } from '../../domain/runs/preview.ts';
import { valuesIn } from './json-size.ts';
import { maxBodyBytes } from './limits/connections.ts';

/** UTF-8 cannot contain an unpaired surrogate; an escape can. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

/** On average; fewer take longer to parse than a request should. Definitions with many labels have some twenty. */
const bytesPerValue = 16;

const json = 'application/json';
/** The type of an update (RFC 7396). */
const mergePatch = 'application/merge-patch+json';

/** Accepts JSON and nothing else. Clients may send `application/json` without a body. */
export function acceptJsonOnly(server: FastifyInstance): void {
  server.removeContentTypeParser('text/plain');
  acceptJson(server, json);
  acceptJson(server, mergePatch);
}

/** Accepts JSON, whatever type the client says that it is. */
export function acceptUntypedJson(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  ignoreType(server);
  acceptJson(server, '*');
}

function acceptJson(server: FastifyInstance, type: string): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser(type, { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    if (type === mergePatch && request.method !== 'PATCH') return done(wrongType());
    if (bytes.length === 0) return done(null, undefined);
    if (!isUtf8(bytes)) return done(invalidInput('the body must be UTF-8'));
    const { bodyLimit } = request.routeOptions;
    const values = valuesIn(bytes, bodyLimit / bytesPerValue);
    if (typeof values === 'string') return done(invalidInput(`the body ${values}`));
    request.bodyValues = values;
    const text = bytes.toString('utf8');
    return void parse(request, text, (error, body) => {
      const isBroken = error === null && surrogateEscape.test(text) && hasHalfPair(text);
      if (error !== null) done(invalidInput(refusalOf(text)));
      else if (!isBroken) done(null, body);
      else
        done(
          invalidInput(
            `${brokenText(body)} must be well-formed Unicode, got half a surrogate pair`,
          ),
        );
    });
  });
}

/** The refusal of a body that is no JSON by its type. */
export function wrongType(): JobdError {
  return invalidInput(`the content type must be ${json}`);
}

/** fastify's parser reports invalid JSON and forbidden keys alike. */
function refusalOf(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return 'the body must be valid JSON';
  }
  return 'the body must not have a key __proto__, or constructor with prototype inside';
}

/** How many values are looked at for the name of the one that is broken. */
const mostLookedAt = 1_000;

/** The place of a malformed string in a JSON value that has one, if it is near. Not recursive: bodies may be deep. */
function brokenText(body: unknown): string {
  let looked = 0;
  const open: { value: unknown; path: string[] }[] = [{ value: body, path: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next;
    if (typeof value === 'string' && !value.isWellFormed()) return nameOf(path);
    for (const key in typeof value === 'object' ? value : null) {
      if (!key.isWellFormed()) return 'each field name';
      const inner: unknown = value?.[key as keyof typeof value];
      // Two steps name the place well enough; keeping more of a deep path would be expensive.
      open.push({ value: inner, path: path.length < 2 ? [...path, key] : path });
      looked += 1;
      if (looked > mostLookedAt) return 'the body';
    }
  }
  return 'the body';
}

function nameOf(path: readonly string[]): string {
  return path.length === 0
    ? 'the body'
    : path.map((step) => step.slice(0, 60).toWellFormed()).join('.');
}

type Done = (error?: Error) => void;

/** Drops the content type that many clients send without a body. */
function ignoreTypeOfNothing({ headers }: FastifyRequest, _: unknown, done: Done): void {
  const isEmpty = (headers['content-length'] ?? '0') === '0';
  if (isEmpty && headers['transfer-encoding'] === undefined) delete headers['content-type'];
  done();
}

/** Refuses a body with fields, because they would have no effect. Some clients send `{}`. */
function refuseBody({ body }: FastifyRequest, _: unknown, done: Done): void {
  const isNothing = body === undefined || body === null || isEmptyObject(body);
  done(isNothing ? undefined : invalidInput('the body must be empty, this operation takes none'));
}

/** The hooks of routes without a body. */
export const withoutBody = { onRequest: ignoreTypeOfNothing, preValidation: refuseBody };

function isEmptyObject(value: unknown): boolean {
  return (
    typeof value === 'object' && !Array.isArray(value) && Object.keys(value ?? {}).length === 0
  );
}

/** The beginning of a body, and whether it was longer. */
export interface BodyPreview {
  text: string;
  truncated: boolean;
}

/** Accepts bodies of any type. `request.body` is a `BodyPreview`; the rest of the body is not kept. */
export function acceptAnyBody(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  ignoreType(server);
  server.addContentTypeParser('*', async (_: FastifyRequest, payload: IncomingMessage) =>
    readPreview(payload),
  );
}

/** fastify would refuse a malformed type before it calls a parser. */
function ignoreType(server: FastifyInstance): void {
  server.addHook('onRequest', (request, _, done) => {
    delete request.headers['content-type'];
    done();
  });
}

/** A larger body is read on so that its client gets an answer in peace: so many bytes, and for so long. */
const drainedBytes = 16 * 1024 * 1024;
const drainMs = 5_000;

/** Of what is larger than other bodies may be, only the beginning counts: it need not arrive to its end. */
function readPreview(payload: IncomingMessage): Promise<BodyPreview> {
  return new Promise((resolve, reject) => {
    const preview = startPreview();
    let bytes = 0;
    let isLonger = false;
    let timer: NodeJS.Timeout | undefined;
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      isLonger ||= preview.push(chunk);
      if (bytes > maxBodyBytes) timer ??= setTimeout(finish, drainMs);
      if (bytes > drainedBytes) finish();
    };
    const finish = (): void => {
      stop();
      resolve(preview.finish(isLonger));
    };
    const onError = (): void => {
      stop();
      if (bytes > maxBodyBytes) resolve(preview.finish(isLonger));
      else reject(invalidInput('the body broke off'));
    };
    const stop = (): void => {
      clearTimeout(timer);
      payload.off('data', onData).off('end', finish);
    };
    payload.on('data', onData).once('end', finish).once('error', onError);
  });
}

/** The refusal of a body over the limit of its route. */
export function tooLarge(maxBytes = maxBodyBytes): JobdError {
  return new JobdError('too_large', `the request body must be at most ${maxBytes / 1024} KiB`);
}
