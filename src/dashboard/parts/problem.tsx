/** A failure in a sentence of the API. */

import { Glyph } from './glyph.tsx';
import { Outside } from './outside.tsx';

/** The sentence. Screen readers say it at once. */
export function Problem({ id, text }: { id?: string; text: string }) {
  return (
    <p id={id} class="problem" role="alert">
      <Glyph status="down" />
      <span class={text.startsWith('jobd ') ? 'named' : undefined}>
        <Outside text={text} />
      </span>
    </p>
  );
}
