/** What a job runs after, instead of on its schedule. */

import { useRef, useState } from 'preact/hooks';
import type { Job } from '../../../api/jobs/contract.ts';
import type { JobSummary } from '../../../api/overview/contract.ts';
import { showControls } from '../../../domain/characters.ts';
import { afterOnVerbs, afterOnWords } from '../../../domain/jobs/after-words.ts';
import { ofNothing, useResource } from '../../client/resource.ts';
import { Select, TextField } from '../../parts/forms/field.tsx';
import type { FormParts } from '../../parts/forms/items.tsx';
import type { JobForm } from '../../view/job-form.ts';

/** The fields: another job, and which end of it starts this one. Of more than a hundred jobs, those with a text in them are listed. */
export function AfterFields({ form, thing, labels, errorOf, edit }: FormParts<JobForm, Job>) {
  const { after, afterOn } = form;
  const [text, setText] = useState('');
  const path = `/overview/jobs?order=name&limit=100&q=${encodeURIComponent(text)}`;
  const list = useResource<{ jobs: JobSummary[]; nextCursor: string | null }>(path, ofNothing).body
    .value;
  const others = (list?.jobs ?? []).filter(({ id }) => id !== thing?.id);
  const names = useRef(new Map<string, string>()).current;
  for (const { id, name } of others) names.set(id, name);
  const hasMore = text !== '' || list?.nextCursor;
  const listed = others.map(({ id }) => id);
  const ids = after === '' || listed.includes(after) ? listed : [after, ...listed];
  return (
    <>
      {hasMore && <TextField label="Find a job" name="find" value={text} onChange={setText} />}
      <div class="pair">
        <Select
          label={labels['after'] ?? ''}
          hint="Instead of on its schedule, which is kept."
          error={errorOf('after')}
          name="after"
          value={after}
          options={[
            ['', 'no other job'],
            ...ids.map((id) => [id, showControls(names.get(id) ?? id)] as const),
          ]}
          onChange={(chosen) => edit({ after: chosen })}
        />
        {after !== '' && (
          <Select
            label="When that one"
            name="afterOn"
            value={afterOn}
            options={afterOnWords.map((word) => [word, afterOnVerbs[word]])}
            onChange={(word) => edit({ afterOn: word as JobForm['afterOn'] })}
          />
        )}
      </div>
    </>
  );
}
