import type { Job } from '../../../api/jobs/contract.ts';
import type { DueTimes as Due } from '../../../api/jobs/extension-contract.ts';
import type { Resource } from '../../client/resource.ts';
import { Note, Outside } from '../../parts/basic.tsx';
import { DueTimes } from '../../parts/due-times.tsx';
import { Loaded } from '../../parts/loaded.tsx';

/** The schedule in words, and the due times. */
export function NextDue({ job, due }: { job: Job; due: Resource<Due> }) {
  const { timezone } = job;
  const isOnce = job.runAt !== undefined;
  const cronExpr = isOnce ? null : job.cronExpr;
  return (
    <section class="panel stack" aria-labelledby="next-due">
      <h2 id="next-due">Next due</h2>
      <Loaded from={due}>
        {({ words, next, notes }) => (
          <>
            {job.after === undefined && (
              <p>
                {isOnce ? 'Once' : words}{' '}
                {cronExpr !== null && words !== cronExpr && <code class="quiet">{cronExpr}</code>}
              </p>
            )}
            {next.length > 0 && <DueTimes next={next} zone={timezone} />}
            {notes.map((note) => (
              <Note key={note}>
                <Outside text={note} />
              </Note>
            ))}
          </>
        )}
      </Loaded>
    </section>
  );
}
