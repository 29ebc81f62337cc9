/** Short words about what was just done, below the page. */

import { told, untell } from '../../client/told.ts';
import { Link } from '../link.tsx';
import { Outside } from '../outside.tsx';

/** Where they are shown. Screen readers say them when they come. */
export function Toasts() {
  return (
    <div class="toasts" role="status">
      {told.value.map(({ id, text, isProblem, link }) => (
        <p key={id} class={isProblem === true ? 'toast bad' : 'toast'}>
          <span>
            <Outside text={text} /> {link !== undefined && <Link to={link.to}>{link.text}</Link>}
          </span>
          <button type="button" class="plain" aria-label="Close" onClick={() => untell(id)}>
            ✕
          </button>
        </p>
      ))}
    </div>
  );
}
