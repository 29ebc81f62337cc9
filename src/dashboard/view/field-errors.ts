/** Which field an error of the API is about. Its sentences begin with the name of the field. */

/** An error, and the field beside which it is shown; null shows it above the form. */
export interface FieldError {
  field: string | null;
  error: string;
}

/** Finds the field among `fields`, which are names of the API. `headers.x must be …` is about `headers`. */
export function fieldError(error: string, fields: readonly string[]): FieldError {
  const [name = ''] = /^[A-Za-z]+(?=[ :.])/.exec(error) ?? [];
  return { field: fields.includes(name) ? name : null, error };
}
