/** A channel: whom it serves, and its deliveries. */

import type { Channel, ChannelResponse, Delivery } from '../../../api/alerts/contract.ts';
import { usePages } from '../../client/pages.ts';
import { ofChannel, useResource } from '../../client/resource.ts';
import { mayWrite } from '../../client/session/session.ts';
import { Breadcrumbs } from '../../parts/breadcrumbs.tsx';
import { Heading } from '../../parts/heading.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Outside } from '../../parts/outside.tsx';
import { PageActions } from '../../parts/page-actions.tsx';
import { RowList } from '../../parts/rows/row-list.tsx';
import { At } from '../../parts/time.tsx';
import { channelKinds } from '../../view/channels/channel-kinds.ts';
import { afterWords, moreWords } from '../../view/channels/deliveries.ts';
import { MissingPage } from '../missing.tsx';
import { ChannelSwitch, TestButton } from './actions.tsx';
import { DeliveryRow } from './delivery.tsx';
import { Subjects } from './subjects.tsx';

/** The page. */
export function ChannelPage({ id }: { id: string }) {
  const found = useResource<ChannelResponse>(`/channels/${id}`, ofChannel(id));
  const missing = <MissingPage what="There is no such channel." to="/channels" word="Channels" />;
  return (
    <Loaded from={found} missing={missing}>
      {({ channel }) => <Whole channel={channel} />}
    </Loaded>
  );
}

function Whole({ channel }: { channel: Channel }) {
  const { id, name, type, destination, enabled, jobIds, monitorIds, createdAt } = channel;
  const more = moreWords(channel);
  const path = `/channels/${id}/deliveries?limit=30`;
  const list = usePages<Delivery>(path, 'deliveries', ofChannel(id), ({ status }) => {
    return status === 'pending';
  });
  return (
    <>
      <Breadcrumbs kind="channel" />
      <div class="head">
        <Heading title={name}>
          <Outside text={name} />
        </Heading>
        {mayWrite.value && (
          <PageActions
            kind="channel"
            subject={channel}
            loss="Its deliveries are deleted too, also those that wait."
          >
            <ChannelSwitch channel={channel} />
            <TestButton channel={channel} />
          </PageActions>
        )}
      </div>
      {!enabled && <p class="sentence">Off: no alert is sent there, except tests.</p>}
      <section class="panel">
        <h2>Facts</h2>
        <dl class="facts">
          <dt>Type</dt>
          <dd>{channelKinds[type].word}</dd>
          <dt>Jobs</dt>
          <dd>
            <Subjects kind="jobs" ids={jobIds} />
          </dd>
          <dt>Monitors</dt>
          <dd>
            <Subjects kind="monitors" ids={monitorIds} />
          </dd>
          <dt>Alerts</dt>
          <dd>of a job {afterWords(channel)}, of a monitor at once</dd>
          {more !== null && (
            <>
              <dt>Also</dt>
              <dd>{more}</dd>
            </>
          )}
          <dt>Destination</dt>
          <dd>{destination ?? 'cannot be read'}</dd>
          <dt>Created</dt>
          <dd>
            <At at={createdAt} />
          </dd>
        </dl>
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
