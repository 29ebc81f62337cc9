/** Text from outside: names, errors, previews. It is text, whatever it contains. */

import { showControls } from '../../domain/characters.ts';

/** The text with its control characters visible. Its direction does not reach what is around it. */
export function Outside({ text }: { text: string }) {
  return <bdi>{showControls(text)}</bdi>;
}
