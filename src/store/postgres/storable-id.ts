import { escapeNul } from './escape-nul.ts'

/** Maximum length of an id in an index: an entry of an index has a limit. */
export const MAX_ID_CHARACTERS = 512

/** An id as it is stored and found in an index: longer ones are shortened. */
export function storableId(id: string): string {
  return escapeNul(id.slice(0, MAX_ID_CHARACTERS))
}
