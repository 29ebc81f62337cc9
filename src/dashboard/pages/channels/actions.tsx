/** What one can do with a channel: test it, switch it on and off. */

import { Button } from '../../parts/basic.tsx';
import { useState } from 'preact/hooks';
import type { Channel } from '../../../api/alerts/contract.ts';
import { useBusy } from '../../client/busy.ts';
import { sendTest, update } from '../../client/actions.ts';
import { Confirm } from '../../parts/dialogs.tsx';

/** Sends a test; what comes of it is said in a toast. */
export function TestButton({ channel }: { channel: Channel }) {
  const [isBusy, begin] = useBusy();
  return (
    <Button
      aria-disabled={isBusy}
      aria-label={`Test ${channel.name}`}
      onClick={() => void begin(() => sendTest(channel))}
    >
      {isBusy ? 'Testing…' : 'Test'}
    </Button>
  );
}

/** On or off. Off gives up what waits, so it asks if something does. */
export function ChannelSwitch({ channel }: { channel: Channel }) {
  const { name, enabled, lastDelivery } = channel;
  const [isAsking, setAsking] = useState(false);
  const toggle = () =>
    update('channel', channel, { enabled: !enabled }, () => (enabled ? 'off' : 'on'));
  const press = (): void => {
    if (enabled && lastDelivery?.status === 'pending') setAsking(true);
    else void toggle();
  };
  return (
    <>
      <Button
        class="switch"
        role="switch"
        aria-checked={enabled}
        aria-label={`Alerts to ${name}`}
        onClick={press}
      >
        <span aria-hidden="true">{enabled ? 'On' : 'Off'}</span>
      </Button>
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
