/** Sends spans while a daemon runs, if its settings name a collector. */

import type { Starting } from '../../serve/house.ts';
import { version } from '../../version.ts';
import { startSpans } from './export.ts';

/** Starts to send spans. */
export async function sendSpans(starting: Starting): Promise<void> {
  const { config, clock, log, meter, use, takeSpans, callAnywhere } = starting;
  const { spans: settings } = config;
  if (settings === null) return;
  if ('problem' in settings) {
    log.warn({ error: settings.problem }, 'no spans are sent');
    return;
  }
  const egress = await callAnywhere();
  takeSpans(use(startSpans({ settings, version, egress, clock, log, meter })));
}
