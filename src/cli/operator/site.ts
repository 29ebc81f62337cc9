import { statSync } from 'node:fs';
import type { Output } from '../terminal/output.ts';
import { chooseDataDir, enterPlace, openStoreAt } from './local.ts';
import { isRoot } from './roots-files.ts';
import { findServiceUrl } from './service.ts';

/**
 * Where the server of this machine says that people reach it, as `jobd open` does; where this user may not look, what the
 * settings of the service say. Null if nothing is known. Never throws.
 */
export async function siteHere(output: Output): Promise<string | null> {
  return (await servedUrl(output)) ?? findServiceUrl();
}

async function servedUrl(output: Output): Promise<string | null> {
  try {
    const { path } = await chooseDataDir({});
    // Root would become the owner of the database, and could not write a profile of its own then.
    if (isRoot() && statSync(path).uid !== 0) return null;
    const { siteUrlIn, whoServes } = await import('../../app/operator/served.ts');
    const place = await enterPlace({}, output);
    await using local = await openStoreAt(place);
    const who = await whoServes(place, local.store.db);
    return who === null ? null : await siteUrlIn(local);
  } catch {
    return null;
  }
}
