/** A ping in the list. */

import type { Ping } from '../../../api/monitors/contract.ts';
import { Glyph } from '../../parts/glyph.tsx';
import type { Status } from '../../parts/glyph.tsx';
import { Ago, At } from '../../parts/time.tsx';
import { visibleLines } from '../../view/body.ts';
import { duration } from '../../view/durations.ts';

const signs: Record<Ping['kind'], Status> = {
  start: 'running',
  success: 'success',
  fail: 'failed',
};
const words: Record<Ping['kind'], string> = { start: 'start', success: 'success', fail: 'failure' };

/** The row. A body is folded. */
export function PingRow({ ping }: { ping: Ping }) {
  const { kind, exitCode, receivedAt, durationMs, source, body, truncated } = ping;
  return (
    <li class="row ping">
      <span class="state">
        <Glyph status={signs[kind]} />
      </span>
      <p class="what">
        {words[kind]}
        {exitCode !== null && kind === 'fail' && <span class="quiet"> · exit code {exitCode}</span>}
      </p>
      <p class="when">
        <At at={receivedAt} />{' '}
        <span class="quiet">
          <Ago at={receivedAt} />
        </span>
      </p>
      <p class="took figure">{durationMs === null ? '' : duration(durationMs)}</p>
      <p class="by quiet">{source}</p>
      {body !== null && <Output body={body} truncated={truncated} />}
    </li>
  );
}

/** The first line; the rest is folded. */
function Output({ body, truncated }: Pick<Ping, 'truncated'> & { body: string }) {
  const text = visibleLines(body);
  return (
    <details class="body">
      <summary>
        <bdi>{text.trim().split('\n', 1)[0] || 'blank'}</bdi>
      </summary>
      <pre>
        <bdi>{text}</bdi>
      </pre>
      {truncated && <p class="hint">These are the first 4,096 bytes. More was sent.</p>}
    </details>
  );
}
