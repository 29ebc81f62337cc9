/** What one can do with a channel: test it, switch it on and off. */

import { useState } from 'preact/hooks';
import type { Channel } from '../../../api/alerts/contract.ts';
import { sendTest } from '../../client/actions/channel-actions.ts';
import { update } from '../../client/actions/update.ts';
import { Confirm } from '../../parts/dialogs/dialog.tsx';

/** Sends a test; what comes of it is said in a toast. */
export function TestButton({ channel }: { channel: Channel }) {
  const [isBusy, setBusy] = useState(false);
  const test = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    await sendTest(channel);
    setBusy(false);
  };
  return (
    <button
      type="button"
      aria-disabled={isBusy}
      aria-label={`Test ${channel.name}`}
      onClick={() => void test()}
    >
      {isBusy ? 'Testing…' : 'Test'}
    </button>
  );
}

/** On or off. Off gives up what waits, so it asks if something does. */
export function ChannelSwitch({ channel }: { channel: Channel }) {
  const { name, enabled, lastDelivery } = channel;
  const [isAsking, setAsking] = useState(false);
  const toggle = () => update('channel', channel, { enabled: !enabled }, enabled ? 'off' : 'on');
  const press = (): void => {
    if (enabled && lastDelivery?.status === 'pending') setAsking(true);
    else void toggle();
  };
  return (
    <>
      <button
        type="button"
        class="switch"
        role="switch"
        aria-checked={enabled}
        aria-label={`Alerts to ${name}`}
        onClick={press}
      >
        <span aria-hidden="true">{enabled ? 'On' : 'Off'}</span>
      </button>
      {isAsking && (
        <Confirm
          title="Switch this channel off?"
          action="Switch off"
          onConfirm={() => {
            setAsking(false);
            void toggle();
          }}
          onClose={() => setAsking(false)}
        >
          <p>Alerts that wait for it are given up.</p>
        </Confirm>
      )}
    </>
  );
}
