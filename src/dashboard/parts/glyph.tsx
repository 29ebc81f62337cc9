/** The signs of statuses. Each has its own shape, so that colour is never needed. */

import type { JSX } from 'preact';

/** What a job, a monitor or a run can be. */
export type Status =
  | 'up'
  | 'success'
  | 'down'
  | 'failed'
  | 'late'
  | 'missed'
  | 'interrupted'
  | 'running'
  | 'paused'
  | 'new';

const disc = (
  <path
    fill-rule="evenodd"
    d="M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1M6.9 11.6 3.7 8.4l1.2-1.2 2 2 4.2-4.2 1.2 1.2z"
  />
);
const square = (
  <path
    fill-rule="evenodd"
    d="M2 2h12v12H2zM8 6.7 5.7 4.4 4.4 5.7 6.7 8l-2.3 2.3 1.3 1.3L8 9.3l2.3 2.3 1.3-1.3L9.3 8l2.3-2.3-1.3-1.3z"
  />
);

const shapes: Record<Status, JSX.Element> = {
  up: disc,
  success: disc,
  down: square,
  failed: square,
  late: (
    <path fill-rule="evenodd" d="M8 1 15.5 14.5H.5zM7.1 5.5v5h1.8v-5zM7.1 11.5v1.6h1.8v-1.6z" />
  ),
  missed: <path class="line" d="M8 1.8 14.2 8 8 14.2 1.8 8z" />,
  interrupted: (
    <>
      <path d="M8 1v14A7 7 0 0 1 8 1" />
      <path class="line" stroke-dasharray="2.2 2" d="M8 1.9a6.1 6.1 0 0 1 0 12.2" />
    </>
  ),
  running: <path class="line turning" stroke-width="2.2" d="M8 2a6 6 0 1 0 6 6" />,
  paused: <path d="M3.5 2h3v12h-3zM9.5 2h3v12h-3z" />,
  new: <circle class="line" stroke-dasharray="2.4 2.4" cx="8" cy="8" r="6.1" />,
};

/** The sign, 16 px. The word is beside it, so readers skip it. */
export function Glyph({ status }: { status: Status }) {
  return (
    <svg class={`glyph ${status}`} viewBox="0 0 16 16" aria-hidden="true">
      {shapes[status]}
    </svg>
  );
}
