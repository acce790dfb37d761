import { MAX_ID_CHARACTERS } from '../sql/dialect.ts'
import { escapeNul } from './escape-nul.ts'

/** An id as it is stored and found in an index: longer ones are shortened. */
export function storableId(id: string): string {
  return escapeNul(id.slice(0, MAX_ID_CHARACTERS))
}
