/** What an address shows that names nothing. */

import { Heading } from '../parts/heading.tsx';
import { Link } from '../parts/link.tsx';

interface MissingProps {
  /** What there is none of. */
  what: string;
  to?: string;
  word?: string;
}

/** The page, with a link to where there is something. */
export function MissingPage({ what, to = '/', word = 'Jobs' }: MissingProps) {
  return (
    <section class="empty">
      <Heading title={what} />
      <p>
        <Link to={to}>{word}</Link>
      </p>
    </section>
  );
}
