/** The URL that a task pings, and lines to paste. */

import type { Monitor } from '../../../api/monitors/contract.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { pingLines } from '../../view/monitors/ping-lines.ts';

/** The panel. A session that may only read does not see the URL. */
export function PingUrl({ monitor }: { monitor: Monitor }) {
  const { pingUrl, status } = monitor;
  return (
    <section class="panel stack">
      <h2>Ping URL</h2>
      {pingUrl === null ? (
        <p class="quiet">
          Whoever knows the URL can ping, so it is not shown to a session that may only read.
        </p>
      ) : (
        <>
          <Copyable text={pingUrl} />
          <p class="hint">Keep it to yourself: whoever knows it can ping.</p>
          <details open={status === 'new'}>
            <summary>Lines to paste</summary>
            <div class="stack to-paste">
              {pingLines(monitor, pingUrl).map(({ title, line }) => (
                <div key={title}>
                  <h3 class="quiet">{title}</h3>
                  <Copyable text={line} />
                </div>
              ))}
              <p class="hint">Put your own command in place of /path/to/command.</p>
            </div>
          </details>
        </>
      )}
    </section>
  );
}
