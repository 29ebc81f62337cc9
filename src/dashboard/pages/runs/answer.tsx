/** What the target answered: its beginning, as jobd keeps it. */

import { Button } from '../../parts/basic.tsx';
import { useRef, useState } from 'preact/hooks';
import type { Run } from '../../../api/runs/contract.ts';
import { CopyButton } from '../../parts/copyable.tsx';
import { keptWords, visibleLines } from '../../view/body.ts';
import { pretty } from '../../view/json.ts';
import { isUnderWay } from '../../view/run.ts';

/** The answer, indented if it is JSON; as it came if asked for. */
export function Answer({ run }: { run: Run }) {
  const [isRaw, setRaw] = useState(false);
  const [isWrapped, setWrapped] = useState(true);
  const text = useRef<HTMLPreElement>(null);
  // One that waits for a report was answered.
  if (isUnderWay(run) && run.httpStatus === null) return null;
  const body = run.responseBody ?? '';
  const json = pretty(body);
  return (
    <section class="panel answer">
      <div class="head">
        <h2>
          Answer <span class="quiet">{keptWords(run)}</span>
        </h2>
        {body !== '' && (
          <p class="actions">
            {json !== null && (
              <>
                <Toggle word="Pretty" isOn={!isRaw} onPress={() => setRaw(false)} />
                <Toggle word="Raw" isOn={isRaw} onPress={() => setRaw(true)} />
              </>
            )}
            <Toggle word="Wrap" isOn={isWrapped} onPress={() => setWrapped(!isWrapped)} />
            <CopyButton of={text} />
          </p>
        )}
      </div>
      {body !== '' && (
        <pre
          ref={text}
          class={isWrapped ? 'wrapped' : ''}
          // A part of a page that scrolls must be reachable by keyboard.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- see above
          tabIndex={0}
          role="region"
          aria-label="Body of the answer"
        >
          {visibleLines(json === null || isRaw ? body : json)}
        </pre>
      )}
    </section>
  );
}

function Toggle({ word, isOn, onPress }: { word: string; isOn: boolean; onPress: () => void }) {
  return (
    <Button aria-pressed={isOn} onClick={onPress}>
      {word}
    </Button>
  );
}
