/**
 * Requests that a page of jobd itself makes, told from those that another page makes a browser send. Browsers send the
 * cookie with requests of pages on any port of the same host, whatever `SameSite` says, and over plain http they do not say
 * who asks (`Sec-Fetch-Site`). So changes need a header of our own: another page cannot set it without a preflight, and no
 * preflight allows it (cors.ts). `Origin` and Fetch Metadata are the second and the third defence (docs/security.md).
 */

import type { IncomingHttpHeaders } from 'node:http';
import { JobdError } from '../../domain/errors.ts';

/** The header in which the page says which workspace it shows. */
const workspaceHeader = 'x-jobd-workspace';

type Headers = IncomingHttpHeaders;

/** Why a request with the cookie of a session in this workspace is refused; null if it may go on. */
export function cookieFault(
  { method, headers }: { method: string; headers: Headers },
  workspaceId: string,
): JobdError | null {
  if (method === 'GET' || method === 'HEAD') {
    return isAskedBy(headers, ['same-origin', 'none']) ? originFault(headers) : otherPage();
  }
  return changeFault(headers, workspaceId) ?? otherPageFault(headers);
}

/** Why a request that changes something, and may have no cookie yet, is refused as another page's; null if it is not. */
export function otherPageFault(headers: Headers): JobdError | null {
  return isAskedBy(headers, ['same-origin']) ? originFault(headers) : otherPage();
}

/** Not every request has an Origin: browsers leave it out where a page reads nothing of the answer (docs/security.md). */
function originFault({ origin, host }: Headers): JobdError | null {
  if (origin === undefined || URL.parse(origin)?.host === (host?.toLowerCase() ?? null))
    return null;
  return new JobdError(
    'forbidden',
    'the Origin of this request is not its Host: open the page under its own address, and let a proxy pass on the Host header',
  );
}

function changeFault(headers: Headers, workspaceId: string): JobdError | null {
  const shown = headers[workspaceHeader];
  if (shown === undefined) {
    const text =
      'a change made with a session needs the header X-Jobd-Workspace with the id of its workspace';
    return new JobdError('forbidden', text);
  }
  if (String(shown).toLowerCase() === workspaceId) return null;
  return new JobdError('conflict', 'this tab shows another workspace, reload it');
}

/** Browsers say who asks, if the connection is secure or local. */
function isAskedBy(headers: Headers, sites: readonly string[]): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined || sites.includes(site);
}

function otherPage(): JobdError {
  return new JobdError(
    'forbidden',
    'this request comes from a page of another site, it is refused',
  );
}
