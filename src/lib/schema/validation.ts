import type { Issue } from './schema-issue.ts'

/** What checking a value gives: the value as the schema made it (defaults and transforms applied), or issues. */
export type Validation<T = unknown> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] }
