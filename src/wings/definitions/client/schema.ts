/** `jobd schema`: the JSON Schema of definition files, made from the tables by which they are read. */

import { keyPattern } from '../../../domain/definition.ts';
import type { FileField } from './fields.ts';
import { fileKinds, jobKind, type FileKind } from './kinds.ts';

const allLabels = 'Labels of all jobs and monitors of this file. Their own values win.';

/** The schema of a file, in the draft that editors read. */
export function fileSchema(): object {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Definition file of jobd',
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    properties: Object.fromEntries([
      ['labels', { ...fieldSchema(jobKind.fields['labels'] as FileField), description: allLabels }],
      ...fileKinds.map((kind) => [
        kind.section,
        {
          description: `The ${kind.section}, by their keys.`,
          type: ['object', 'null'],
          propertyNames: { pattern: keyPattern.source },
          additionalProperties: schemaOf(kind),
        },
      ]),
    ]),
  };
}

/** The schema of one definition. */
function schemaOf({ fields, required, exclusive, schema }: FileKind): object {
  const properties = Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)]);
  const pairs = exclusive.flatMap((one, index) =>
    exclusive.slice(index + 1).map((other) => ({ not: { required: [one, other] } })),
  );
  const { allOf = [] } = (schema ?? {}) as { allOf?: object[] };
  return {
    type: required.length > 0 ? 'object' : ['object', 'null'],
    additionalProperties: false,
    required: [...required],
    properties: Object.fromEntries(properties),
    allOf: [...pairs, ...allOf],
  };
}

function fieldSchema({ about, form }: FileField): object {
  const shape = form.kind === 'mapping' ? { type: 'object', maxProperties: form.most } : {};
  return { description: about, ...shape, ...form.schema };
}
