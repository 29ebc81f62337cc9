/** A failure in a sentence of the API. */

import { Glyph } from './glyph.tsx';
import { Outside } from './outside.tsx';

interface ProblemProps {
  id?: string | undefined;
  text: string;
  /** Whether a screen reader finishes what it says first. */
  isPolite?: boolean;
}

/** The sentence. Screen readers say it at once. */
export function Problem({ id, text, isPolite = false }: ProblemProps) {
  return (
    <p id={id} class="problem" role={isPolite ? 'status' : 'alert'}>
      <Glyph status="down" />
      <span class={/^(?:jobd |[a-z]+[A-Z.])/.test(text) ? 'named' : undefined}>
        <Outside text={text} />
      </span>
    </p>
  );
}
