/** A job, monitor or channel may be named by its id or, where no other has it, by its name. */

import type { Channel } from '../../api/alerts/contract.ts';
import type { Job } from '../../api/contract.ts';
import type { Monitor } from '../../api/monitors/contract.ts';
import { invalidInput, JobdError } from '../../domain/errors.ts';
import { isId } from '../../domain/id.ts';
import type { ChannelClient } from '../alerts/channel-client.ts';
import type { Client } from './client.ts';

/** Finds the job. Throws `not_found`, or `invalid_input` if several have this name. */
export async function findJob(client: Client, idOrName: string): Promise<Job> {
  return isIdInAnyCase(idOrName)
    ? await client.getJob(idOrName)
    : await findNamed('job', client.listJobs(), idOrName);
}

/** Finds the monitor. Throws as `findJob` does. */
export async function findMonitor(client: Client, idOrName: string): Promise<Monitor> {
  return isIdInAnyCase(idOrName)
    ? await client.getMonitor(idOrName)
    : await findNamed('monitor', client.listMonitors(), idOrName);
}

/** Finds the channel. Throws as `findJob` does. */
export async function findChannel(client: ChannelClient, idOrName: string): Promise<Channel> {
  return isIdInAnyCase(idOrName)
    ? await client.get(idOrName)
    : await findNamed('channel', client.list(), idOrName);
}

/** The server takes ids in upper case, too. */
function isIdInAnyCase(text: string): boolean {
  return isId(text.toLowerCase());
}

async function findNamed<Named extends { id: string; name: string }>(
  kind: string,
  all: AsyncIterable<Named>,
  name: string,
): Promise<Named> {
  const found: Named[] = [];
  for await (const one of all) {
    if (one.name === name) found.push(one);
  }
  const [first, ...others] = found;
  if (first === undefined) throw new JobdError('not_found', `there is no ${kind} named ${name}`);
  if (others.length === 0) return first;
  const ids = found.map(({ id }) => id).join(', ');
  throw invalidInput(`${found.length} ${kind}s are named ${name}, use an id: ${ids}`);
}
