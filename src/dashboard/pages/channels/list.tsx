/** All channels: who gets an alert when something fails, and whether it arrives. */

import type { Channel } from '../../../api/alerts/contract.ts';
import { mayWrite } from '../../client/session.ts';
import { Ago, Outside } from '../../parts/basic.tsx';
import { Empty, ListPage } from '../../parts/list-page.tsx';
import { ThingRow } from '../../parts/row.tsx';
import { channelKinds } from '../../view/channel-kinds.ts';
import { afterWords, deliverySign, deliveryWords, servesWords } from '../../view/deliveries.ts';
import { ChannelSwitch, TestButton } from './actions.tsx';
import { Waits } from './waits.tsx';

/** The page. */
export function ChannelsPage() {
  const empty = (
    <Empty kind="channel">
      <p>Nobody gets an alert when something fails.</p>
      <p>
        A channel sends an alert when a job or a monitor goes down, and when it is up again: by
        email, to a chat, or to a webhook.
      </p>
    </Empty>
  );
  return (
    <ListPage<Channel> kind="channel" from="/channels" empty={empty}>
      {(channel) => <ChannelRow key={channel.id} channel={channel} />}
    </ListPage>
  );
}

function ChannelRow({ channel }: { channel: Channel }) {
  const { type, destination, enabled, lastDelivery } = channel;
  const state = enabled ? 'on' : 'off';
  return (
    <ThingRow
      kind="channel"
      thing={channel}
      state={state}
      sign={lastDelivery === null ? 'new' : deliverySign(lastDelivery)}
      below={
        <>
          <LastDelivery channel={channel} />
          <Waits channel={channel} as="line" />
        </>
      }
      when={
        <>
          <span class="line">
            {channelKinds[type].word}
            {destination !== null && `: ${destination}`}
          </span>
          <span class="quiet">
            {servesWords(channel)}, {afterWords(channel)}
          </span>
        </>
      }
      acts={
        mayWrite.value ? (
          <>
            <TestButton channel={channel} />
            <ChannelSwitch channel={channel} />
          </>
        ) : (
          <span class="quiet">{state}</span>
        )
      }
    />
  );
}

function LastDelivery({ channel }: { channel: Channel }) {
  const { lastDelivery, consecutiveFailures } = channel;
  if (lastDelivery === null) return <p class="quiet">nothing sent yet</p>;
  const { lastError, lastAttemptAt, createdAt, status } = lastDelivery;
  return (
    <p class="line">
      <span class={status === 'failed' ? 'reason' : 'quiet'}>
        {deliveryWords(lastDelivery)}, <Ago at={lastAttemptAt ?? createdAt} />
        {lastError !== null && ': '}
      </span>
      {lastError !== null && (
        <span class="reason">
          <Outside text={lastError} />
        </span>
      )}
      {consecutiveFailures > 1 && (
        <span class="reason">{` (${consecutiveFailures} failed in a row)`}</span>
      )}
    </p>
  );
}
