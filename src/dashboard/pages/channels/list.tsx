/** All channels: who gets an alert when something fails, and whether it arrives. */

import type { Channel } from '../../../api/alerts/contract.ts';
import { usePages } from '../../client/pages.ts';
import { ofChannels } from '../../client/resource.ts';
import { mayWrite } from '../../client/session/session.ts';
import { useShortcuts } from '../../client/shortcuts.ts';
import { Heading } from '../../parts/heading.tsx';
import { Link } from '../../parts/link.tsx';
import { RowList } from '../../parts/rows/row-list.tsx';
import { go } from '../../router.ts';
import { ChannelRow } from './row.tsx';

const path = '/channels?limit=50';

/** The page. */
export function ChannelsPage() {
  const list = usePages<Channel>(path, 'channels', ofChannels, ({ id }, { channels }) =>
    channels.includes(id),
  );
  useShortcuts({ n: () => go('/channels/new') });
  if (list.rows.value?.length === 0 && !list.hasMore.value) return <NoChannels />;
  return (
    <>
      <div class="head">
        <Heading title="Channels" />
        {/* Not before it is known that there are any: else it vanishes under the finger that is about to press it. */}
        {mayWrite.value && list.rows.value !== null && (
          <p class="actions">
            <Link to="/channels/new" class="button main">
              New channel
            </Link>
          </p>
        )}
      </div>
      <RowList list={list} of={path} label="Channels" none={null}>
        {(channel) => <ChannelRow key={channel.id} channel={channel} />}
      </RowList>
    </>
  );
}

function NoChannels() {
  return (
    <section class="empty">
      <Heading title="No channels yet" />
      <p>Nobody gets an alert when something fails.</p>
      <p>
        A channel sends an alert when a job or a monitor goes down, and when it is up again: by
        email, to a chat, or to a webhook.
      </p>
      {mayWrite.value && (
        <p class="actions">
          <Link to="/channels/new" class="button main">
            New channel
          </Link>
        </p>
      )}
    </section>
  );
}
