/** What a page to change something shows to a session that may only read. */

import { Heading } from './heading.tsx';
import { Link } from './link.tsx';

/** The page, with the way back. */
export function ReadOnly({ title, to, word }: { title: string; to: string; word: string }) {
  return (
    <section class="empty">
      <Heading title={title} />
      <p>This session may only read. To change something, sign in with a key that may write.</p>
      <p>
        <Link to={to}>{word}</Link>
      </p>
    </section>
  );
}
