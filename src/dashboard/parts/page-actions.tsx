/** What one can do with a monitor or a channel on its page. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { changesTo } from '../view/audit.ts';
import { pageOf } from '../view/places.ts';
import type { Kind } from '../view/places.ts';
import { Delete } from './dialogs/delete.tsx';
import { Link } from './link.tsx';
import { Menu } from './menu.tsx';

interface PageActionsProps {
  kind: Kind;
  subject: { id: string; name: string };
  /** What is lost when it is deleted. */
  loss: string;
  /** Actions that only its kind has; they come first. */
  children: ComponentChildren;
}

/** The buttons, and a menu of what is done less often. */
export function PageActions({ kind, subject, loss, children }: PageActionsProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <div class="actions">
      {children}
      <Link to={`${pageOf(kind, subject.id)}/edit`} class="button">
        Edit
      </Link>
      <Menu label={`More for ${subject.name}`}>
        <Link to={changesTo(subject.id)} class="button">
          Audit trail
        </Link>
        <button type="button" onClick={() => setAsking(true)}>
          Delete
        </button>
      </Menu>
      {isAsking && (
        <Delete kind={kind} subject={subject} onClose={() => setAsking(false)}>
          {loss}
        </Delete>
      )}
    </div>
  );
}
