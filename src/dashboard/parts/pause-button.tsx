/** Pause or resume, as a sign in a row. */

interface PauseButtonProps {
  name: string;
  paused: boolean;
  onPress: () => void;
}

/** The button; `p` presses it. */
export function PauseButton({ name, paused, onPress }: PauseButtonProps) {
  const word = paused ? 'Resume' : 'Pause';
  return (
    <button
      type="button"
      class="plain"
      data-key="p"
      title={word}
      aria-label={`${word} ${name}`}
      onClick={onPress}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        {paused ? (
          <path d="M2.5 2.5v11l7-5.5zM11 2.5h2.5v11H11z" />
        ) : (
          <path d="M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z" />
        )}
      </svg>
    </button>
  );
}
