/** Variables that jobd would have if their names were right: a setting that is misspelt has no effect, and nobody sees that. */

import { nearest } from '../../domain/nearest.ts';
import { environment } from './environment.ts';

/** A variable that jobd does not know. */
export interface UnknownVariable {
  variable: string;
  /** The one that is probably meant; null if none is near. */
  meant: string | null;
}

/** install.sh reads this one. */
const known = [...environment.map(([name]) => name), 'JOBD_DOWNLOAD_URL'];

/** Those among the names of an environment that begin as jobd's own do. */
export function unknownVariables(names: readonly string[]): UnknownVariable[] {
  const services = names.flatMap((name) => /^(JOBD\w*)_SERVICE_HOST$/.exec(name)?.[1] ?? []);
  return names
    .filter((name) => /^JOBD_/i.test(name) && !known.includes(name))
    .filter((name) => !services.some((service) => isOfService(name, service)))
    .map((variable) => ({ variable, meant: nearest(variable, known, 3) ?? null }));
}

/** Kubernetes names each Service of a namespace in the environment of its containers. */
function isOfService(name: string, service: string): boolean {
  return name.startsWith(`${service}_SERVICE_`) || name.startsWith(`${service}_PORT`);
}

/** What is said of one. */
export function unknownWords({ variable, meant }: UnknownVariable): string {
  const hint = meant === null ? 'jobd help environment lists all' : `did you mean ${meant}?`;
  return `${variable} is no variable of jobd and is ignored: ${hint}`;
}
