/** The rules for the request headers of a job (RFC 9110 section 5, and what jobd owns itself). */
import { invalidInput } from '../errors.ts';

export const maxHeaders = 50;
/** Names and values together, in bytes; both are ASCII. */
const maxHeaderBytes = 16 * 1024;

/** A token (RFC 9110 section 5.6.2). */
const tokenPattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** ASCII only: other characters are sent as Latin-1 by some and as UTF-8 by others. */
const valuePattern = /^[\t\x20-\x7e]*$/;

/** Names that jobd or the connection sets, and why a job may not set them. */
const refusedNames = new Map([
  ['host', 'it comes from the url'],
  ['content-length', 'it frames the message'],
  ['transfer-encoding', 'it frames the message'],
  ['trailer', 'it frames the message'],
  ['connection', 'it belongs to the connection'],
  ['keep-alive', 'it belongs to the connection'],
  ['te', 'it belongs to the connection'],
  ['upgrade', 'it belongs to the connection'],
  ['http2-settings', 'it belongs to the connection'],
  ['expect', 'interim answers are not awaited'],
  ['x-service-run-id', 'the service sets it'],
  ['x-service-scheduled-for', 'the service sets it'],
  ['x-service-report-url', 'the service sets it'],
]);

/** Names whose values are never secret. Every other value may be one. */
const openNames = new Set([
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'date',
  'dnt',
  'from',
  'if-modified-since',
  'if-unmodified-since',
  'origin',
  'pragma',
  'prefer',
  'priority',
  'range',
  'upgrade-insecure-requests',
  'user-agent',
  'x-requested-with',
]);
const openPrefixes = ['accept', 'sec-ch-', 'sec-fetch-'];

/** Whether the value of a header may be a secret. */
export function isSecretHeader(name: string): boolean {
  const lowerCase = name.toLowerCase();
  return !openNames.has(lowerCase) && !openPrefixes.some((prefix) => lowerCase.startsWith(prefix));
}

/** Checks the headers of a job and returns a frozen copy. Throws `invalid_input` with the header's name, never its value. */
export function checkHeaders(
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const entries = Object.entries(headers);
  if (entries.length > maxHeaders) {
    throw invalidInput(`headers must be at most ${maxHeaders}, got ${entries.length}`);
  }
  const seen = new Set<string>();
  let bytes = 0;
  for (const [name, value] of entries) {
    checkName(name);
    checkValue(name, value);
    const lowerCase = name.toLowerCase();
    if (seen.has(lowerCase)) {
      throw invalidInput(
        `headers must name each header once, got ${name} twice in any letter case`,
      );
    }
    seen.add(lowerCase);
    bytes += name.length + value.length;
  }
  if (bytes > maxHeaderBytes) {
    throw invalidInput(
      `headers must be at most ${maxHeaderBytes} bytes in all, names and values, got ${bytes}`,
    );
  }
  return Object.freeze(Object.fromEntries(entries));
}

/**
 * Why a job may not set a header; undefined if it may. Programs behind CGI, WSGI or Rack see `_` and `-` as one
 * character (RFC 3875 section 4.1.18), so they would take `X_Service_Run_Id` for ours.
 */
export function whyRefused(name: string): string | undefined {
  const plain = name.toLowerCase().replaceAll('_', '-');
  const why = plain.startsWith('proxy-') ? 'it is meant for proxies' : refusedNames.get(plain);
  if (why === undefined || !name.includes('_')) return why;
  return `many servers read it as ${name.replaceAll('_', '-')}, and ${why}`;
}

function checkName(name: string): void {
  if (!tokenPattern.test(name)) {
    throw invalidInput(
      `headers must have names of letters, digits and !#$%&'*+-.^_\`|~, got ${JSON.stringify(name.slice(0, 60))}`,
    );
  }
  const why = whyRefused(name);
  if (why !== undefined) throw invalidInput(`headers must not contain ${name}: ${why}`);
}

function checkValue(name: string, value: string): void {
  if (typeof value !== 'string')
    throw invalidInput(`headers: the value of ${name} must be a string`);
  if (!valuePattern.test(value)) {
    throw invalidInput(
      `headers: the value of ${name} must be printable ASCII, without line breaks and control characters`,
    );
  }
  if (/^[\t ]|[\t ]$/.test(value)) {
    throw invalidInput(`headers: the value of ${name} must not begin or end with a space or tab`);
  }
}
