/** Building blocks of the contract's schemas. */

import { Type } from 'typebox';
import type { Static, TSchema, TUnsafe } from 'typebox';

/** `type: [T, "null"]`: shorter than a union, and its errors name both. */
export function nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const { type, enum: words } = schema as { type?: string; enum?: unknown[] };
  return Type.Unsafe<Static<T> | null>({
    ...schema,
    type: [type, 'null'],
    ...(words && { enum: [...words, null] }),
  });
}

/** One of these words. */
export function oneOf<const T extends string>(values: readonly T[], about: About): TUnsafe<T> {
  return Type.Unsafe<T>({ type: 'string', enum: [...values], ...about });
}

/** Fields of an answer that an update may carry and cannot change. */
export function readOnly<T extends Record<string, object>>(fields: T): T {
  const copy: Record<string, { readOnly?: true }> = structuredClone(fields);
  for (const schema of Object.values(copy)) schema.readOnly = true;
  return copy as T;
}

/** What the published description says of a field besides its rules. */
export interface About {
  description: string;
  /** What holds when the field is not given; for people, nothing is filled in from here. */
  default?: unknown;
  examples?: readonly unknown[];
}

/** A text. */
export function text(description: string): ReturnType<typeof Type.String> {
  return Type.String({ description });
}

/** A whole number. */
export function integer(description: string): ReturnType<typeof Type.Integer> {
  return Type.Integer({ description });
}

/** A moment: ISO 8601, UTC, milliseconds, `Z`. */
export function moment(description: string): ReturnType<typeof Type.String> {
  return Type.String({ format: 'date-time', description });
}

/** An id of ours: a UUID, version 7. Answers have it in lower case; upper case is accepted. */
export function id(description: string): ReturnType<typeof Type.String> {
  return Type.String({ format: 'uuid', description });
}

/** The same fields for an update: a default holds at creation only. */
export function withoutDefaults<T extends Record<string, object>>(fields: T): T {
  const copy: Record<string, { default?: unknown }> = structuredClone(fields);
  for (const schema of Object.values(copy)) delete schema.default;
  return copy as T;
}

/** How the name of a header is written: `idempotency-key` is Idempotency-Key. */
export function headerName(name: string): string {
  return name.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
