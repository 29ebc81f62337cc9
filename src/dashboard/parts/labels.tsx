/** The labels of a job or a monitor; each leads to all that have it. */

import type { Labels } from '../../domain/labels.ts';
import { labelWord } from '../view/labels.ts';
import { lists, type Kind } from '../view/places.ts';
import { Link, Outside } from './basic.tsx';

interface ChipsProps {
  kind: Kind;
  labels?: Labels | undefined;
  /** How many are shown; of others only their number. */
  most?: number;
}

/** The chips. */
export function Chips({ kind, labels = {}, most = Infinity }: ChipsProps) {
  const all = Object.entries(labels);
  if (all.length === 0) return null;
  return (
    <span class="labels">
      {all.slice(0, most).map(([key, value]) => {
        const to = `${lists[kind].to}?q=${encodeURIComponent(labelWord(key, value))}`;
        return (
          <Link key={key} to={to} class="tag">
            <Outside text={`${key}=${value}`} />
          </Link>
        );
      })}
      {all.length > most && <span class="quiet">+{all.length - most}</span>}
    </span>
  );
}
