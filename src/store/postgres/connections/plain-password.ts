/** Who gets the password itself, where a server asks for that and not for a proof that jobd knows it. */

import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { Client } from 'pg';
import { isLoopbackName } from '../../../domain/targets/host-name.ts';
import { PlainPassword } from '../errors.ts';

/** What `pg` has, which its types do not show. */
interface Inside {
  connection: { emit: (event: 'error', error: Error) => void; stream: Socket };
}

/** The name of the method that gives it. */
const handler = '_handleAuthCleartextPassword';

/** Lets a client give it only to a server on this machine, or one that TLS has verified. */
export function guardPassword(client: Client, ssl: false | ConnectionOptions): void {
  const isVerified = ssl !== false && ssl.rejectUnauthorized !== false;
  if (isVerified || isOnThisMachine(client.host)) return;
  const inside = client as unknown as Inside;
  const refuse = (): void => {
    inside.connection.emit('error', new PlainPassword());
    inside.connection.stream.destroy();
  };
  Object.assign(client, { [handler]: refuse });
}

/** By its address alone; a host that begins with / is the folder of a socket. */
function isOnThisMachine(host: string): boolean {
  return (
    host.startsWith('/') ||
    host === '::1' ||
    /^127(\.\d{1,3}){3}$/.test(host) ||
    isLoopbackName(host)
  );
}
