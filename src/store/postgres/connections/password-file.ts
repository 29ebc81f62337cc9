/** Passwords in `~/.pgpass`, or the file of PGPASSFILE: https://www.postgresql.org/docs/current/libpq-pgpass.html */

import pgpass from 'pgpass';
import type { Login } from 'pgpass';
import { NoPassword } from '../errors.ts';

/** What asks the file, when a server wants a password. It throws `NoPassword` if the file has none. */
export function passwordInFile(login: Login): () => Promise<string> {
  return async () => {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    pgpass(login, resolve);
    const password = await promise;
    if (password !== undefined) return password;
    throw new NoPassword();
  };
}
