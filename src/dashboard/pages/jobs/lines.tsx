/** Text from outside that has lines. */

import { Fragment } from 'preact';
import { Outside } from '../../parts/outside.tsx';

/** The text, line by line. */
export function Lines({ text }: { text: string }) {
  return (
    <pre class="lines">
      {text.split(/\r?\n/).map((line, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- lines have nothing else, and never move
        <Fragment key={index}>
          <Outside text={line.replaceAll('\t', '  ')} />
          {'\n'}
        </Fragment>
      ))}
    </pre>
  );
}
