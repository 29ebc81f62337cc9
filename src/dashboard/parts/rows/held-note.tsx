/** What waits while rows are held: a button that shows it. */

/** The button; nothing while nothing waits. */
export function HeldNote({ waiting, onShow }: { waiting: number; onShow: () => void }) {
  return (
    <p class="held" role="status">
      {waiting > 0 && (
        <button type="button" onClick={onShow}>
          {waiting === 1 ? '1 change' : `${waiting} changes`} · show
        </button>
      )}
    </p>
  );
}
