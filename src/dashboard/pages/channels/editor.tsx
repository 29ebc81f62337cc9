/** The editor of a channel, as a list of what it asks for. */

import type { Channel } from '../../../api/alerts/contract.ts';
import { alsoOnWords, channelFields } from '../../../domain/alerts/fields.ts';
import type { EditorOf } from '../../parts/forms/editor.tsx';
import { Flag } from '../../parts/forms/field.tsx';
import type { Item, Section } from '../../parts/forms/items.tsx';
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

const alsoOn: readonly Item<ChannelForm, Channel>[] = alsoOnWords.map((word) => ({
  as: 'own',
  draw: ({ form, edit }) => (
    <Flag
      label={`of ${word} runs`}
      value={form.alsoOn.includes(word)}
      onChange={(isOn) => {
        const others = form.alsoOn.filter((other) => other !== word);
        edit({ alsoOn: isOn ? [...others, word] : others });
      }}
    />
  ),
}));

const sections: readonly Section<ChannelForm, Channel>[] = [
  {
    legend: 'Name and type',
    items: [
      {
        as: 'pair',
        items: [
          { as: 'line', name: 'name' },
          {
            as: 'choice',
            name: 'type',
            options: Object.entries(channelKinds).map(([type, { word }]) => [type, word]),
            isFixed: (channel) => channel !== null,
            hint: (_, channel) => (channel === null ? null : 'It cannot be changed.'),
          },
        ],
      },
    ],
  },
  {
    legend: 'Destination',
    items: [{ as: 'own', draw: (parts) => <ConfigFields {...parts} /> }],
  },
  {
    legend: 'Serves',
    items: [
      { as: 'own', draw: (parts) => <Serves {...parts} kind="job" /> },
      { as: 'own', draw: (parts) => <Serves {...parts} kind="monitor" /> },
      {
        as: 'line',
        name: 'selector',
        isOptional: true,
        hint: 'Of all jobs and monitors, only those with these labels, such as client=acme,env!=dev.',
      },
    ],
  },
  {
    legend: 'Alerts',
    items: [
      {
        as: 'number',
        name: 'afterFailures',
        hint: 'How many runs of a job must fail before its alert. A monitor alerts at once.',
      },
      { as: 'own', draw: () => <p class="label">{channelFields.alsoOn.label}</p> },
      ...alsoOn,
      { as: 'flag', name: 'reminds', label: 'again while something stays down' },
      {
        as: 'length',
        name: 'remindEverySeconds',
        isShown: ({ reminds }) => reminds,
        hint: `${span(minimum * 1_000)} to ${span(maximum * 1_000)}.`,
      },
      { as: 'flag', name: 'enabled', label: 'On: alerts are sent' },
    ],
  },
];

/** The editor. */
export const channelEditor: EditorOf<Channel, ChannelForm> = {
  kind: 'channel',
  sections,
  formOf: channelForm,
  inputOf: channelInput,
  labelsOf: channelLabelsOf,
  emptyIn: emptyInChannel,
  secret: {
    name: 'secret',
    use: 'Your endpoint checks with it that alerts come from this jobd.',
  },
};
