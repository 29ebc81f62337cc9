/** A channel in the list. */

import type { Channel } from '../../../api/alerts/contract.ts';
import { mayWrite } from '../../client/session/session.ts';
import { Glyph } from '../../parts/glyph.tsx';
import { Link } from '../../parts/link.tsx';
import { Outside } from '../../parts/outside.tsx';
import { Ago } from '../../parts/time.tsx';
import { channelKinds } from '../../view/channels/channel-kinds.ts';
import {
  afterWords,
  deliverySign,
  deliveryWords,
  servesWords,
} from '../../view/channels/deliveries.ts';
import { ChannelSwitch, TestButton } from './actions.tsx';

/** The row: name and type; whom it serves; the last delivery; actions. */
export function ChannelRow({ channel }: { channel: Channel }) {
  const { id, name, type, destination, enabled, lastDelivery } = channel;
  return (
    <li class={`row channel ${enabled ? '' : 'off'}`} data-id={id}>
      <span class="state">
        <Glyph status={lastDelivery === null ? 'new' : deliverySign(lastDelivery)} />
      </span>
      <div class="what">
        <Link to={`/channels/${id}`} class="name">
          <Outside text={name} />
        </Link>
        <LastDelivery channel={channel} />
      </div>
      <p class="when">
        <span class="line">
          {channelKinds[type].word}
          {destination !== null && `: ${destination}`}
        </span>
        <span class="quiet">
          {servesWords(channel)}, {afterWords(channel)}
        </span>
      </p>
      <div class="acts">
        {mayWrite.value ? (
          <>
            <TestButton channel={channel} />
            <ChannelSwitch channel={channel} />
          </>
        ) : (
          <span class="quiet">{enabled ? 'on' : 'off'}</span>
        )}
      </div>
    </li>
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
