/** Builds a path, with its values encoded. */
export function path(parts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return String.raw({ raw: parts }, ...values.map((value) => encodeURIComponent(value)));
}

/** Fields of a query; those without a value are left out. */
export type Filter = Readonly<Record<string, string | number | null | undefined>>;

/** Builds a query, with its values encoded; nothing without a value. */
export function queryOf(filter: Filter): string {
  const given = Object.entries(filter).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [path`${name}=${value}`],
  );
  return given.length === 0 ? '' : `?${given.join('&')}`;
}
