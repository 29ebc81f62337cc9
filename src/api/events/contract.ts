import { Type, type Static, type TObject, type TProperties } from 'typebox';
import { endReasons } from '../../domain/audited.ts';
import { runStatuses } from '../../domain/runs/run.ts';
import * as t from '../http/schema.ts';
import { eventExamples } from './examples.ts';

const HelloEvent = event('Hello', 'hello', 'The first event of a stream.', {
  workspaceId: t.id('The workspace whose changes follow.'),
  version: t.text('The version of jobd that runs now.'),
  at: t.moment('The present time of the server.'),
});

const ChangedEvent = event(
  'Changed',
  'changed',
  'What changed since the event before it: what to ask again.',
  {
    jobs: ids('Jobs that were created, edited, planned again or deleted.'),
    runs: t.array(
      Type.Object({
        id: t.id('The id of the run.'),
        jobId: t.id('The id of its job, whose status changed too.'),
        status: t.oneOf(runStatuses, 'Its status when this was written.'),
      }),
      'Runs that were queued, started or ended.',
    ),
    monitors: ids('Monitors that were created, edited, pinged, missed or deleted.'),
    channels: ids('Channels that were created, edited, used or deleted.'),
  },
);

const ResyncEvent = event(
  'Resync',
  'resync',
  'More changed than an event can name, or this client reads too slowly: ask again for everything that is shown.',
  {},
);

const EndEvent = event('End', 'end', 'The last event: the server closes the stream.', {
  reason: t.oneOf(
    endReasons,
    '`unavailable`: jobd is stopping or its store fails, connect again. `other workspace`: the session shows another workspace, connect again. The others: the key or ' +
      'session is not valid any more.',
  ),
});

export const Event = Type.Unsafe<
  | Static<typeof HelloEvent>
  | Static<typeof ChangedEvent>
  | Static<typeof ResyncEvent>
  | Static<typeof EndEvent>
>({
  title: 'Event',
  description:
    'One of the events. On the wire it is a line `event: ` with its name, a line `data: ` with its data as JSON, and an empty line.',
  anyOf: [HelloEvent, ChangedEvent, ResyncEvent, EndEvent],
  examples: [eventExamples.changed],
});
export type Event = Static<typeof Event>;

function ids(description: string) {
  return t.array(Type.String({ format: 'uuid' }), description);
}

function event<const Name extends keyof typeof eventExamples, P extends TProperties>(
  title: string,
  name: Name,
  description: string,
  data: P,
) {
  const fields: TObject<P> = Type.Object(data, { description: 'Its data.' });
  return t.output(`${title}Event`, description, eventExamples[name], {
    event: t.oneOf([name], 'Its name.'),
    data: fields,
  });
}
