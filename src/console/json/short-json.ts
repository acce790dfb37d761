import { escapeBidi } from './escape-bidi.ts'

const MAX_LENGTH = 300

/** JSON on one line, truncated. */
export function shortJson(value: unknown): string {
  if (value === undefined) return ''
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return escapeBidi(text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text)
}
