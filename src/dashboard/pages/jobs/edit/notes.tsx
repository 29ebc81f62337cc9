/** What somebody who edits a job should know about it. */

import { Glyph } from '../../../parts/glyph.tsx';
import { Outside } from '../../../parts/outside.tsx';
import { fieldWords } from '../../../view/jobs/job-form.ts';

/** The job is defined in a file. */
export function ManagedNote({ name }: { name: string }) {
  return (
    <p class="note">
      <Glyph status="late" />
      <span>
        This job is managed by a file (key <Outside text={name} />
        ): <code>jobd apply</code> puts back what you change here.
      </span>
    </p>
  );
}

/** Somebody else has deleted the job. */
export function GoneNote() {
  return (
    <p class="note" role="alert">
      <Glyph status="late" />
      This job was deleted meanwhile. What you typed is still here, but it cannot be saved.
    </p>
  );
}

interface ChangedProps {
  fields: readonly string[];
  onReload: () => void;
}

/** Somebody else has changed the job. */
export function ChangedNote({ fields, onReload }: ChangedProps) {
  return (
    <div class="note" role="status">
      <Glyph status="late" />
      <p>
        This job was changed meanwhile: {fieldWords(fields)}. Your text stays as it is, and Save
        changes only the fields that you changed.{' '}
        <button type="button" onClick={onReload}>
          Load its values, drop mine
        </button>
      </p>
    </div>
  );
}
