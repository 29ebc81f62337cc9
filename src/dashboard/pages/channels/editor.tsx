/** The editor of a channel, as a list of what it asks for. */

import type { Channel } from '../../../api/alerts/contract.ts';
import { alsoOnWords, channelFields } from '../../../domain/alerts/fields.ts';
import type { EditorOf } from '../../parts/forms/editor.tsx';
import { Flag } from '../../parts/forms/field.tsx';
import type { AboutFields, FormParts, Section } from '../../parts/forms/items.tsx';
import {
  channelForm,
  channelInput,
  channelLabelsOf,
  emptyInChannel,
} from '../../view/channel-form.ts';
import type { ChannelForm } from '../../view/channel-form.ts';
import { channelKinds } from '../../view/channel-kinds.ts';
import { span } from '../../view/figures.ts';
import { ConfigFields } from './config-fields.tsx';
import { Serves } from './chosen.tsx';

const { minimum, maximum } = channelFields.remindEverySeconds.rule;

const sections: readonly Section<ChannelForm, Channel>[] = [
  { legend: 'Name and type', items: [['name', 'type']] },
  { legend: 'Destination', items: [(parts) => <ConfigFields key="config" {...parts} />] },
  {
    legend: 'Serves',
    items: [
      (parts) => <Serves key="job" {...parts} kind="job" />,
      (parts) => <Serves key="monitor" {...parts} kind="monitor" />,
      'selector',
    ],
  },
  {
    legend: 'Alerts',
    items: [
      'afterFailures',
      (parts) => <AlsoOn key="also" {...parts} />,
      'reminds',
      'remindEverySeconds',
      'enabled',
    ],
  },
];

const about: AboutFields<ChannelForm, Channel> = {
  type: {
    form: 'word',
    options: Object.entries(channelKinds).map(([type, { word }]) => [type, word]),
    isFixed: (channel) => channel !== null,
    hint: (_, channel) => (channel === null ? null : 'It cannot be changed.'),
  },
  selector: {
    hint: 'Of all jobs and monitors, only those with these labels, such as client=acme,env!=dev. Empty: any.',
  },
  afterFailures: {
    hint: 'How many runs of a job must fail before its alert. A monitor alerts at once.',
  },
  reminds: { form: 'flag', label: 'again while something stays down' },
  remindEverySeconds: {
    isShown: ({ reminds }) => reminds,
    hint: `${span(minimum * 1_000)} to ${span(maximum * 1_000)}.`,
  },
  enabled: { label: 'On: alerts are sent' },
};

function AlsoOn({ form: { alsoOn }, edit }: FormParts<ChannelForm, Channel>) {
  return (
    <>
      <p class="label">{channelFields.alsoOn.label}</p>
      {alsoOnWords.map((word) => (
        <Flag
          key={word}
          label={`of ${word} runs`}
          value={alsoOn.includes(word)}
          onChange={(isOn) => {
            const others = alsoOn.filter((other) => other !== word);
            edit({ alsoOn: isOn ? [...others, word] : others });
          }}
        />
      ))}
    </>
  );
}

export const channelEditor: EditorOf<Channel, ChannelForm> = {
  kind: 'channel',
  sections,
  about,
  formOf: channelForm,
  inputOf: channelInput,
  labelsOf: channelLabelsOf,
  emptyIn: emptyInChannel,
  secret: {
    name: 'secret',
    use: 'Your endpoint checks with it that alerts come from this jobd.',
  },
};
