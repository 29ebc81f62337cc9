/** A delivery in the list; its attempts are shown when it is opened. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Delivery, TriedDelivery } from '../../../api/alerts/contract.ts';
import { ofChannel, useResource } from '../../client/resource.ts';
import { Glyph } from '../../parts/glyph.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Outside } from '../../parts/outside.tsx';
import { Ago, At } from '../../parts/time.tsx';
import { query } from '../../router.ts';
import { deliverySign, deliveryWords, eventWords } from '../../view/channels/deliveries.ts';
import { duration } from '../../view/durations.ts';
import { clock } from '../../view/times.ts';

interface DeliveryRowProps {
  channelId: string;
  delivery: Delivery;
}

/** The row. The address may name one: it is open. */
export function DeliveryRow({ channelId, delivery }: DeliveryRowProps) {
  const { id, event, subject, createdAt, lastError } = delivery;
  const isNamed = query.value.get('delivery') === id;
  const [isOpen, setOpen] = useState(isNamed);
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (!isNamed) return;
    setOpen(true);
    row.current?.scrollIntoView({ block: 'nearest' });
  }, [isNamed]);
  return (
    <li ref={row} class="delivery" data-id={id}>
      <details open={isOpen} onToggle={({ currentTarget: { open } }) => setOpen(open)}>
        <summary class="row">
          <Glyph status={deliverySign(delivery)} />
          <span>
            {eventWords[event]}
            {subject !== null && (
              <span class="quiet">
                {': '}
                <Outside text={subject.name} />
              </span>
            )}
          </span>
          <span>
            <At at={createdAt} />{' '}
            <span class="quiet">
              <Ago at={createdAt} />
            </span>
          </span>
          <span class="result">
            {deliveryWords(delivery)}
            {lastError !== null && (
              <span class="reason">
                {': '}
                <Outside text={lastError} />
              </span>
            )}
          </span>
        </summary>
        {isOpen && <Attempts channelId={channelId} id={id} />}
      </details>
    </li>
  );
}

function Attempts({ channelId, id }: { channelId: string; id: string }) {
  const path = `/channels/${channelId}/deliveries/${id}`;
  const tried = useResource<TriedDelivery>(path, ofChannel(channelId));
  return (
    <Loaded from={tried} missing={<p class="attempts quiet">This delivery is gone.</p>}>
      {({ attempts }) => (
        <div class="attempts">
          {attempts.length === 0 && <p class="quiet">No attempt yet.</p>}
          <ol>
            {attempts.map(({ number, startedAt, durationMs, httpStatus, error }) => (
              <li key={number}>
                <Glyph status={error === null ? 'success' : 'failed'} />
                <span>Attempt {number}</span>
                <time dateTime={startedAt}>
                  {clock(startedAt, undefined, { withSeconds: true })}
                </time>
                <span class="figure">{duration(durationMs)}</span>
                <span class="result">
                  {error === null ? (
                    `arrived${httpStatus === null ? '' : `, HTTP ${httpStatus}`}`
                  ) : (
                    <Outside text={error} />
                  )}
                </span>
              </li>
            ))}
          </ol>
          <p class="hint">
            Id of the delivery <code>{id}</code>, sent as <code>webhook-id</code> by webhooks.
          </p>
        </div>
      )}
    </Loaded>
  );
}
