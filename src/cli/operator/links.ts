/** Follows the symbolic links in a path one by one, as the system does, and remembers what it saw on the way. */

import * as fs from 'node:fs';
import { isAbsolute, join, parse, resolve, sep } from 'node:path';
import { JobdError, systemCode } from '../../domain/errors.ts';

/** A path without its links. */
export interface Followed {
  path: string;
  /** The part of it that exists. */
  present: string;
  /** The links that were followed, in their order, each by the path of its directory without links. */
  links: string[];
  /** What each part was, when it was passed: a part is looked at before anything in it. */
  seen: ReadonlyMap<string, fs.Stats>;
}

/** As many as Linux follows. */
const mostLinks = 40;

/** Follows the links in a path, also those in what links lead to. Throws `unavailable` for more than 40. */
export function followLinks(given: string): Followed {
  const { root } = parse(resolve(given));
  const whole = isAbsolute(given) ? given : `${process.cwd()}${sep}${given}`;
  const rest = whole.split(sep);
  const links: string[] = [];
  const seen = new Map([[root, fs.lstatSync(root)]]);
  let at = root;
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    const next = join(at, part);
    // Nothing is looked up for an empty part, `.` and `..`: these directories were passed before.
    if (!['', '.', '..'].includes(part)) {
      const entry = lookAt(next, at);
      if (entry === null) return { path: join(next, ...rest), present: at, links, seen };
      seen.set(next, entry);
      if (entry.isSymbolicLink()) {
        if (links.length === mostLinks) throw tooManyLinks(given);
        links.push(next);
        const target = fs.readlinkSync(next);
        rest.unshift(...target.split(sep));
        if (isAbsolute(target)) at = root;
        continue;
      }
    }
    at = next;
  }
  return { path: at, present: at, links, seen };
}

function lookAt(path: string, directory: string): fs.Stats | null {
  try {
    return fs.lstatSync(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    if (systemCode(error) !== 'ENOTDIR') throw error;
    throw new JobdError('unavailable', `${directory} is not a directory`, { cause: error });
  }
}

function tooManyLinks(path: string): JobdError {
  const sentence = `${path} leads through more than ${mostLinks} symbolic links`;
  return new JobdError('unavailable', `${sentence}: name what it should lead to`);
}
