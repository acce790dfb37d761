import { escapeNul } from '../escape-nul.ts'
import type { Condition } from '../../sql/conditions.ts'

/** The conditions of the members of a filter that are defined. */
export function filterConditions<Key extends string>(
  conditions: Readonly<Record<Key, string>>,
  filter: Readonly<Partial<Record<Key, string | number | null | true | undefined>>>,
): Condition[] {
  const keys = (Object.keys(conditions) as Key[]).filter((key) => filter[key] !== undefined)
  return keys.map((key) => {
    const value = filter[key]
    if (value === null) return { text: conditions[key].replace('= ?', 'IS NULL'), values: [] }
    if (value === true) return { text: conditions[key], values: [] }
    return { text: conditions[key], values: [typeof value === 'string' ? escapeNul(value) : value] }
  })
}
