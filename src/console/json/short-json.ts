import { escapeHidden } from '../ui/escape-hidden.ts'

const MAX_LENGTH = 300

/** JSON on one line, truncated. */
export function shortJson(value: unknown): string {
  if (value === undefined) return ''
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return escapeHidden(text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text)
}
