/** What people do with a channel, from any page. It is said in a toast. */

import type { DeliveryResponse } from '../../../api/alerts/contract.ts';
import { ask } from '../api.ts';
import { change } from '../session/session.ts';
import { tell } from '../told.ts';
import type { Named } from './update.ts';

/** An attempt takes 10 s at most. */
const mostLooks = 12;

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
    tell({ text: `The test of ${name} was not delivered: ${lastError}`, isProblem: true, link });
  } else if (status === 'delivered') tell({ text: `The test reached ${name}.`, link });
  else tell({ text: `The test of ${name} waits.`, link });
}
