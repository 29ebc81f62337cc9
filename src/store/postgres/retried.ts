import { setTimeout } from 'node:timers/promises';
import { isWorthRetrying } from './errors.ts';

/** How often work begins again after another transaction was faster, and the longest wait between. */
const mostTries = 10;
const longestRestMs = 50;

/** Does the work, and does it again while another transaction was faster, or `isPassing` says so of its error. */
export async function retried<T>(
  work: () => Promise<T>,
  isPassing: (error: unknown) => boolean = isWorthRetrying,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || tries >= mostTries) throw error;
    }
    await setTimeout(Math.random() * longestRestMs);
  }
}
