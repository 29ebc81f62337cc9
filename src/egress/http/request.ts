/** A request as bytes (RFC 9112). Whatever made its parts, none of them can add a line to it. */

/** A request to one origin. */
export interface WireRequest {
  /** Path and query. */
  path: string;
  method: string;
  /** As the Host header names it. */
  host: string;
  headers: readonly (readonly [name: string, value: string])[];
  body: string | null;
}

const tokenPattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const pathPattern = /^\/[!-~]*$/;
const hostPattern = /^[!-~]+$/;
const valuePattern = /^[\t -~\x80-\xff]*$/;
/** They are what this file writes: how the message is framed, and what the connection is for. */
const ownNames = /^(?:host|connection|content-length|transfer-encoding|upgrade)$/i;
/** Without a body these say so (RFC 9110, section 8.6). */
const methodsWithBody = new Set(['POST', 'PUT', 'PATCH']);

/** The bytes of a request, as Latin-1. Throws if a part does not belong there; the message never has a value. */
export function requestBytes({ path, method, host, headers, body }: WireRequest): string {
  if (!tokenPattern.test(method)) throw new Error('its method is no word');
  if (!pathPattern.test(path)) throw new Error('its path has characters that must be encoded');
  if (!hostPattern.test(host)) throw new Error('its host is no host');
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  for (const [name, value] of headers) {
    if (!tokenPattern.test(name)) throw new Error('the name of a header is no word');
    if (ownNames.test(name)) throw new Error(`jobd itself sets ${name}`);
    if (!valuePattern.test(value)) {
      throw new Error(`the value of ${name} has characters that a header cannot have`);
    }
    head += `${name}: ${value}\r\n`;
  }
  if (body === null) {
    if (methodsWithBody.has(method)) head += 'content-length: 0\r\n';
    return `${head}\r\n`;
  }
  const content = Buffer.from(body);
  return `${head}content-length: ${content.length}\r\n\r\n${content.toString('latin1')}`;
}
