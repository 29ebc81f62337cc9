/** The newest results as bars, oldest first. Each status has a shape of its own. */

import { strip, stripLabel } from '../../view/strip.ts';

/** The strip. Readers hear how many of each there are. */
export function Strip({ recent, noun }: { recent: readonly string[]; noun?: string }) {
  const { width, height, paths } = strip(recent);
  return (
    <svg
      class="strip"
      role="img"
      aria-label={stripLabel(recent, noun)}
      viewBox={`0 0 ${width} ${height}`}
    >
      {Object.entries(paths).map(([status, path]) => (
        <path key={status} class={status} d={path} />
      ))}
    </svg>
  );
}
