import { plainText } from './plain-text.ts'

const LONGEST = 300

/** JSON on one line, cut where nobody would read on. */
export function shortJson(value: unknown): string {
  if (value === undefined) return ''
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return plainText(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)
}
