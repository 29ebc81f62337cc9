/** What the document loads. The name of an asset has the hash of its bytes, so browsers may keep it forever. */

import { hash } from 'node:crypto';
import { extname } from 'node:path';
import type { PagesApp } from '../../app/app.ts';

/** The files of the build, by what the document uses them for. */
const files = {
  script: 'app.js',
  receipts: 'receipts.js',
  sheet: 'app.css',
  icon: 'icon.svg',
  troubleIcon: 'icon-trouble.svg',
} as const;

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface Asset {
  /** `app-HASH.js` */
  name: string;
  type: string;
  bytes: Uint8Array;
}

export type Assets = Record<keyof typeof files, Asset>;

/** Returns a function that reads the assets once, when somebody first opens a page. It throws `unavailable` if nothing was built. */
export function createAssets({ pageFile }: PagesApp): () => Promise<Assets> {
  let read: Promise<Assets> | undefined;
  const readAll = async (): Promise<Assets> => {
    const named = Object.entries(files).map(async ([use, file]) => {
      return [use, assetOf(file, await pageFile(file))];
    });
    return Object.fromEntries(await Promise.all(named));
  };
  return async () => {
    try {
      return await (read ??= readAll());
    } catch (error) {
      read = undefined; // it may be built by then
      throw error;
    }
  };
}

function assetOf(file: string, bytes: Uint8Array): Asset {
  const ending = extname(file);
  const print = hash('sha256', bytes, 'base64url').slice(0, 12);
  const name = `${file.slice(0, -ending.length)}-${print}${ending}`;
  return { name, type: types[ending] ?? '', bytes };
}
