/** What people do with a channel, from any page. It is said in a toast. */

import type { ChannelResponse, DeliveryResponse } from '../../../api/alerts/contract.ts';
import { ask } from '../api.ts';
import { change } from '../session/session.ts';
import { tell } from '../told.ts';

interface Named {
  id: string;
  name: string;
}

/** An attempt takes 10 s at most. */
const mostLooks = 12;

/** Switches a channel on or off. */
export async function setEnabled({ id, name }: Named, enabled: boolean): Promise<void> {
  const answer = await change<ChannelResponse>('PATCH', `/channels/${id}`, { enabled });
  if (answer.ok) tell({ text: `${name} is ${enabled ? 'on' : 'off'}.` });
  else tell({ text: answer.error, isProblem: true });
}

/** Sends a test, waits for its first attempt, and says what came of it. */
export async function sendTest({ id, name }: Named): Promise<void> {
  const sent = await change<DeliveryResponse>('POST', `/channels/${id}/test`);
  if (!sent.ok) {
    tell({ text: sent.error, isProblem: true });
    return;
  }
  let { delivery } = sent.body;
  for (let look = 0; look < mostLooks && delivery.attempts === 0; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const path = `/channels/${id}/deliveries/${delivery.id}`;
    const answer = await ask<DeliveryResponse>('GET', path);
    if (!answer.ok) break;
    ({ delivery } = answer.body);
  }
  const { status, lastError } = delivery;
  const link = { to: `/channels/${id}?delivery=${delivery.id}`, text: 'Show the delivery' };
  if (lastError !== null) {
    tell({ text: `The test did not reach ${name}: ${lastError}`, isProblem: true, link });
  } else if (status === 'delivered') tell({ text: `The test reached ${name}.`, link });
  else tell({ text: `The test of ${name} waits.`, link });
}
