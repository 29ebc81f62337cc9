/** What the query of a list asks for. */

import type { PageRequest } from '../../app/page.ts';
import type { PageQuery } from '../contract.ts';

/** Fills in the defaults (docs/behavior.md#api-5). */
export function pageRequest({ limit, cursor }: PageQuery): PageRequest {
  return { limit: limit ?? 50, cursor: cursor ?? null };
}
