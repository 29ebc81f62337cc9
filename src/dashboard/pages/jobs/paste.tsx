/** Fills in the form from a command, or from a line of a crontab. */

import { useRef, useState } from 'preact/hooks';
import type { Pasted, PastedDraft } from '../../../wings/readers/pasted.ts';
import type { Remark } from '../../../wings/readers/remark.ts';
import { workOut } from '../../client/session.ts';
import { Field, unaided } from '../../parts/forms/field.tsx';
import { Button, Glyph, Outside } from '../../parts/basic.tsx';
import { fieldWords } from '../../view/forms.ts';

type ReadText = Pick<Pasted, 'draft' | 'problem'> &
  Record<'ignored' | 'adapted' | 'unhonoured', readonly Remark[]>;

const nothing = { draft: null, ignored: [], adapted: [], unhonoured: [] } as const;

/** The field. `onRead` gets what the form can take. */
export function Paste({ onRead }: { onRead: (draft: PastedDraft) => void }) {
  const [text, setText] = useState('');
  const [read, setRead] = useState<ReadText | null>(null);
  const asked = useRef('');
  const take = async (): Promise<void> => {
    if (text.trim() === '' || asked.current === text) return;
    asked.current = text;
    const answer = await workOut<Pasted>('/jobs/read-command', { text });
    // Another text may have been pasted meanwhile.
    if (asked.current !== text) return;
    asked.current = '';
    const pasted = answer.ok ? answer.body : { ...nothing, problem: answer.error };
    setRead(pasted);
    if (pasted.draft !== null) onRead(pasted.draft);
  };
  return (
    <section class="stack" aria-label="Paste">
      <Field label="Paste a curl command, or a line of a crontab" error={read?.problem}>
        {(control) => (
          <textarea
            {...control}
            {...unaided}
            class="code"
            rows={3}
            value={text}
            placeholder={"curl -H 'X-Tenant: 7' https://example.com/hook"}

            onInput={({ currentTarget }) => {
              asked.current = '';
              setText(currentTarget.value);
              setRead(null);
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              void take();
            }}
          />
        )}
      </Field>
      <p class="actions">
        <Button aria-disabled={text.trim() === ''} onClick={() => void take()}>
          Read
        </Button>
        <span class="hint">It fills in the form below. Ctrl+Enter does it too.</span>
      </p>
      <div role="status">{read !== null && <Result read={read} />}</div>
    </section>
  );
}

function Result({ read: { draft, ignored, adapted, unhonoured } }: { read: ReadText }) {
  return (
    <>
      {draft !== null && <p>Filled in: {fieldWords(filledIn(draft))}.</p>}
      {unhonoured.length > 0 && (
        <>
          <p class="problem">
            <Glyph status="late" />A job cannot do this
            {draft === null && ', so nothing was filled in'}:
          </p>
          <Remarks remarks={unhonoured} />
        </>
      )}
      {adapted.length > 0 && (
        <>
          <p>Done in another way:</p>
          <Remarks remarks={adapted} />
        </>
      )}
      {ignored.length > 0 && (
        <>
          <p>Ignored, without an effect on the call:</p>
          <Remarks remarks={ignored} />
        </>
      )}
    </>
  );
}

function Remarks({ remarks }: { remarks: readonly Remark[] }) {
  return (
    <ul class="remarks">
      {remarks.map(({ text, reason }) => (
        <li key={text + reason}>
          <code>
            <Outside text={text} />
          </code>
          : {reason}
        </li>
      ))}
    </ul>
  );
}

/** The fields that something was put into. */
function filledIn(draft: PastedDraft): string[] {
  const isEmpty = (value: unknown): boolean =>
    value === null || (typeof value === 'object' && Object.keys(value).length === 0);
  return Object.entries(draft).flatMap(([name, value]) => (isEmpty(value) ? [] : [name]));
}
