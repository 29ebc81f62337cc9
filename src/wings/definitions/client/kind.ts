/** What files say about jobs, monitors and channels: a file beside this one has one value of this type for each. */

import type { FileField } from './fields.ts';
import type { Place } from './parse-file.ts';

/** The sections of a file, in the order in which they are applied: channels name jobs and monitors. */
export type Section = 'jobs' | 'monitors' | 'channels';

/** What the API takes to create one. */
export type Input = Readonly<Record<string, unknown>>;

/** A job, monitor or channel of the server, and its key; null if it was made by hand. */
export interface ManagedItem {
  key: string | null;
  id: string;
  name: string;
  /** As the API shows it; a channel has `jobs` and `monitors` too. */
  document: Input;
  /** The names of the values that are never shown: of headers, or of the fields of a config. */
  hiddenNames: readonly string[];
}

/** A definition as it was read: what should be, and where that is written. */
export interface Definition {
  kind: FileKind;
  key: string;
  place: Place;
  /** The fields as the API takes them, with every reference filled in. */
  input: Input;
  /** The id of one made by hand that should get the key. */
  adopt: string | undefined;
  /** The texts as they were written of the fields into which a reference was filled in. */
  written: ReadonlyMap<string, string>;
  /** All values that were filled in. */
  secrets: readonly string[];
}

/** A definition as it is written in a file. */
export type Fields = Readonly<Record<string, unknown>>;

/** How definitions are written. */
export interface Writing {
  /** The account's default, where a job has no timeout. */
  defaultTimeoutSeconds: number;
  /** Names that are written instead of ids of jobs, by id. */
  names?: ReadonlyMap<string, string>;
}

/** How one differs from its definition, as far as that can be seen without the server. */
export interface Compared {
  changedFields: string[];
  changedHidden: string[];
}

export interface FileKind {
  section: Section;
  noun: 'job' | 'monitor' | 'channel';
  /** In the order in which they are written. */
  fields: Readonly<Record<string, FileField>>;
  required: readonly string[];
  /** Fields of which a definition may have only one. */
  exclusive: readonly (readonly [string, string])[];
  /** More of the schema for editors: what fields need of each other. */
  schema?: object;
  /** The field whose values nobody is shown, as it is called in files and in the API. */
  hidden?: string;
  /** Whether the server keeps a value in a field that it shows nobody. */
  keeps?: (item: ManagedItem, name: string) => boolean;
  /** Checks one field by the rules of the API. Throws an error with a sentence. */
  checkField: (field: Input) => void;
  /** Checks what only the fields together can break. Throws an error with a sentence. */
  check: (input: Input) => void;
  /** What the definition stands for, with every default. */
  whole: (input: Input, writing: Writing) => Input;
  /** The fields of one as it is or should be, by their names in files; undefined where it has the default. */
  values: (key: string, whole: Input, writing: Writing) => Record<string, unknown>;
  /** Compares as the server does, without the values that nobody is shown. */
  compare: (item: ManagedItem, input: Input, writing: Writing) => Compared;
  /** What is not shown of one that no file defines: nobody knows which of its values are secret. */
  conceal: (fields: Fields) => Fields;
}

/** What people call one: `job backup`. */
export function label({ noun }: Pick<FileKind, 'noun'>, key: string): string {
  return `${noun} ${key}`;
}
