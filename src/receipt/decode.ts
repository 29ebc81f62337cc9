/** From a JSON document to a receipt: exactly the fields of version 1, each of its type and form. */

import type { Receipt, ReceiptReport, ReceiptPayload } from '../domain/proof/receipt.ts';
import { fromBase64url } from './base64.ts';
import { demandOnly, objectOf, textOf, wrongField, type Json } from './json.ts';
import { invalid, shown } from './refusal.ts';

/** A form of values, and its name in refusals. */
interface Form {
  accepts: (value: Json | undefined) => boolean;
  name: string;
}

const hex256: Form = matching(/^[0-9a-f]{64}$/, '64 hexadecimal digits in lower case');
const id: Form = matching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  'a UUID in lower case',
);
const moment: Form = {
  accepts: (value) => typeof value === 'string' && isMoment(value),
  name: 'a time such as 2025-10-09T05:30:00.000Z',
};

/** The payload of version 1. */
const payloadForms: Record<Exclude<keyof ReceiptPayload, 'dueAt' | 'report'>, Form> = {
  version: { accepts: (value) => value === 1, name: '1' },
  // Printable ASCII, as `URL` writes it: nothing that looks like another site.
  issuer: matching(/^https?:\/\/[!-~]{1,2048}$/, 'an http or https URL'),
  runId: id,
  jobId: id,
  source: oneOf('scheduled', 'manual'),
  status: oneOf('success', 'failed'),
  scheduledFor: moment,
  startedAt: moment,
  finishedAt: moment,
  attempts: integer(1),
  httpStatus: integer(100, 999),
  durationMs: integer(0),
  responseSha256: hex256,
  responseBytes: integer(0),
  truncated: { accepts: (value) => typeof value === 'boolean', name: 'true or false' },
  issuedAt: moment,
  previousReceiptSha256: orNull(hex256),
};

/** What became of a wait for a report; only in the receipts of runs that waited. */
const reportForms: Record<keyof ReceiptReport, Form> = {
  outcome: oneOf('success', 'failed', 'expired'),
  reportedAt: orNull(moment),
  reportedBy: orNull(oneOf('target', 'person')),
  messageSha256: orNull(hex256),
};

/** Decodes a receipt. Throws Refusal, `invalid`. */
export function decodeReceipt(document: Json): Receipt {
  const receipt = objectOf(document, 'the document');
  const algorithm = textOf(receipt, 'algorithm', 'the receipt');
  if (algorithm !== 'Ed25519') throw invalid(`its algorithm is ${shown(algorithm)}, not Ed25519`);
  demandOnly(receipt, ['algorithm', 'keyId', 'publicKey', 'payload', 'signature'], 'the receipt');
  return {
    algorithm,
    keyId: textOf(receipt, 'keyId', 'the receipt'),
    ...(receipt.has('publicKey') && { publicKey: textOf(receipt, 'publicKey', 'the receipt') }),
    payload: decodePayload(receipt.get('payload')),
    signature: textOf(receipt, 'signature', 'the receipt'),
  };
}

/** The 64 bytes of a receipt's signature. Throws Refusal, `invalid`. */
export function signatureBytes({ signature }: Receipt): Uint8Array {
  const bytes = fromBase64url(signature);
  if (bytes?.length === 64) return bytes;
  throw invalid('its signature is not 64 bytes in base64url without padding');
}

function decodePayload(value: Json | undefined): ReceiptPayload {
  const payload = objectOf(value, 'the payload');
  const version = payload.get('version');
  if (typeof version === 'number' && version > 1) {
    throw invalid(`its version is ${version}, and this program knows only 1: use a newer program`);
  }
  const forms = { ...payloadForms, ...(payload.has('dueAt') && { dueAt: moment }) };
  demandOnly(payload, [...Object.keys(forms), 'report'], 'the payload');
  const decoded = decodeFields(payload, forms, 'the payload');
  if (!payload.has('report')) return decoded as unknown as ReceiptPayload;
  const place = 'the report';
  const report = objectOf(payload.get('report'), place);
  demandOnly(report, Object.keys(reportForms), place);
  const fields = decodeFields(report, reportForms, place);
  return { ...decoded, report: fields } as unknown as ReceiptPayload;
}

/** The fields of an object, each in its form. Throws Refusal, `invalid`. */
function decodeFields(
  from: ReadonlyMap<string, Json>,
  forms: Readonly<Record<string, Form>>,
  place: string,
): Record<string, Json | undefined> {
  const fields: Record<string, Json | undefined> = {};
  for (const [name, { accepts, name: right }] of Object.entries(forms)) {
    const member = from.get(name);
    if (!accepts(member)) throw wrongField(member, name, place, right);
    fields[name] = member;
  }
  return fields;
}

function orNull({ accepts, name }: Form): Form {
  return { accepts: (value) => value === null || accepts(value), name: `null or ${name}` };
}

function matching(pattern: RegExp, name: string): Form {
  return { accepts: (value) => typeof value === 'string' && pattern.test(value), name };
}

function oneOf(...texts: string[]): Form {
  return {
    accepts: (value) => typeof value === 'string' && texts.includes(value),
    name: texts.join(' or '),
  };
}

function integer(least: number, most = Number.MAX_SAFE_INTEGER): Form {
  const accepts: Form['accepts'] = (value) =>
    typeof value === 'number' && value >= least && value <= most;
  const range = most === Number.MAX_SAFE_INTEGER ? `at least ${least}` : `from ${least} to ${most}`;
  return { accepts, name: `a whole number, ${range}` };
}

/** Exactly the form of `isoTime`, and an existing day. */
function isMoment(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/.test(text)) return false;
  const at = Date.parse(text);
  return !Number.isNaN(at) && new Date(at).toISOString() === text;
}
