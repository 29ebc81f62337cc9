/** A channel: whom it serves, and its deliveries. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Channel, Delivery, TriedDelivery } from '../../../api/alerts/contract.ts';
import { usePages } from '../../client/pages.ts';
import { ofOne, useResource } from '../../client/resource.ts';
import { Ago, At, Facts, Glyph, Outside } from '../../parts/basic.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { RowList } from '../../parts/rows.tsx';
import { ThingHead } from '../../parts/thing.tsx';
import { query } from '../../router.ts';
import { channelKinds } from '../../view/channel-kinds.ts';
import {
  afterWords,
  deliverySign,
  deliveryWords,
  eventWords,
  moreWords,
  servesWords,
} from '../../view/deliveries.ts';
import { duration } from '../../view/figures.ts';
import { clock } from '../../view/times.ts';
import { ChannelSwitch, TestButton } from './actions.tsx';
import { Subjects } from './subjects.tsx';
import { Waits } from './waits.tsx';

/** What is on its page. */
export function ChannelPage({ channel }: { channel: Channel }) {
  const { id, type, destination, enabled, jobIds, monitorIds, createdAt } = channel;
  const more = moreWords(channel);
  const path = `/channels/${id}/deliveries?limit=30`;
  const list = usePages<Delivery>(path, 'deliveries', ofOne('channel', id), ({ status }) => {
    return status === 'pending';
  });
  return (
    <>
      <ThingHead
        kind="channel"
        thing={channel}
        loss="Its deliveries are deleted too, also those that wait."
      >
        <ChannelSwitch channel={channel} />
        <TestButton channel={channel} />
      </ThingHead>
      <Waits channel={channel} as="sentence" />
      {!enabled && <p class="sentence">Off: no alert is sent there, except tests.</p>}
      <section class="panel">
        <h2>Facts</h2>
        <Facts
          of={{
            Type: channelKinds[type].word,
            Jobs: channel.selector === null && <Subjects kind="job" ids={jobIds} />,
            Monitors: channel.selector === null && <Subjects kind="monitor" ids={monitorIds} />,
            Serves: channel.selector !== null && <Outside text={servesWords(channel)} />,
            Alerts: `of a job ${afterWords(channel)}, of a monitor at once`,
            Also: more !== null && more,
            Destination: destination ?? 'cannot be read',
            Created: <At at={createdAt} />,
          }}
        />
      </section>
      <section class="stack">
        <h2>Deliveries</h2>
        <RowList
          list={list}
          of={path}
          label="Deliveries, newest first"
          none={<p>Nothing was sent in the last 30 days.</p>}
        >
          {(delivery) => <DeliveryRow key={delivery.id} channelId={id} delivery={delivery} />}
        </RowList>
      </section>
    </>
  );
}

interface DeliveryRowProps {
  channelId: string;
  delivery: Delivery;
}

/** A delivery; its attempts are shown when it is opened. The address may name one: it is open. */
function DeliveryRow({ channelId, delivery }: DeliveryRowProps) {
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
  const tried = useResource<TriedDelivery>(path, ofOne('channel', channelId));
  return (
    <Loaded from={tried} missing={<p class="attempts quiet">This delivery is gone.</p>}>
      {({ attempts }) => (
        <div class="stack attempts">
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
