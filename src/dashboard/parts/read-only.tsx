/** What a page for sessions that may write shows to the others. */

import { Heading } from './heading.tsx';
import { Link } from './link.tsx';

/** The page, with the way back. */
export function ReadOnly({ title, to, word }: { title: string; to: string; word: string }) {
  return (
    <section class="empty">
      <Heading title={title} />
      <p>This session may only read. This page needs a key that may write.</p>
      <p>
        <Link to={to}>{word}</Link>
      </p>
    </section>
  );
}
