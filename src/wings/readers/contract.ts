import { Type } from 'typebox';
import * as t from '../../api/http/schema.ts';
import { methods } from '../../domain/jobs/fields.ts';
import { longestPasted, pastedKinds } from './pasted.ts';

const pastedExample = {
  text: "0 3 * * * curl -fsS -m 20 --retry 5 -H 'X-Tenant: 7' https://example.com/nightly",
};
const readExample = {
  kind: 'crontab',
  draft: {
    name: 'example.com/nightly',
    method: 'GET',
    url: 'https://example.com/nightly',
    headers: { 'X-Tenant': '7' },
    body: null,
    timeoutSeconds: 20,
    retries: 2,
    cronExpr: '0 3 * * *',
  },
  ignored: [
    { text: '-f', reason: 'a status other than 2xx fails the run anyway' },
    { text: '-s', reason: 'it only changes what curl prints' },
    { text: '-S', reason: 'it only changes what curl prints' },
  ],
  adapted: [{ text: '--retry 5', reason: 'lowered to 2 retries, the most of a job' }],
  unhonoured: [],
  problem: null,
};

export const PastedCommand = t.input(
  'PastedCommand',
  'What somebody has pasted.',
  [pastedExample],
  {
    text: Type.String({
      maxLength: longestPasted,
      description: `A curl or wget command, a crontab with a line that runs one, a URL, or the five fields of a schedule. At most ${longestPasted} characters.`,
    }),
  },
);

const remarks = (description: string) =>
  t.array(
    t.part('A part of the command.', {
      text: t.text('As it was written, without the value of an option.'),
      reason: t.text('Why.'),
    }),
    description,
  );

export const ReadCommand = t.output('ReadCommand', 'What was read.', readExample, {
  kind: t.oneOf(pastedKinds, 'What the text was taken for.'),
  draft: t.nullable(
    Type.Object(
      t.optional({
        name: t.text('From a comment, or from the URL.'),
        method: t.oneOf(methods, 'The method.'),
        url: t.text('The URL.'),
        headers: Type.Record(Type.String(), Type.String(), { description: 'Name to value.' }),
        body: t.textOrNull('The body; null for none.'),
        cronExpr: t.text('When it is called.'),
        timezone: t.text('The zone of `cronExpr`.'),
        timeoutSeconds: t.integer('Seconds that an attempt may take.'),
        retries: t.integer('Further attempts.'),
      }),
      {
        description:
          'The fields of a job that the text says; they are not checked. Without the parts that a job cannot honour. Null if the rest is no call.',
      },
    ),
  ),
  ignored: remarks('Parts without an effect on the call.'),
  adapted: remarks(
    'Parts that a job does in another way: a limit that is lowered, redirects that are not followed, a value that it keeps.',
  ),
  unhonoured: remarks('Parts that a job cannot honour.'),
  problem: t.textOrNull('Why nothing was read; null if something was.'),
});
