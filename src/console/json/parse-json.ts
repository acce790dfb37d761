import { errorMessage } from '../api/request-failure.ts'
import { isObject } from '../form/json-schema.ts'
import { escapeHidden } from '../ui/escape-text.ts'

/** The value of a JSON text; undefined for other texts. */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    // not JSON: shown as text
    return undefined
  }
}

/** The value of a JSON text, or why it has none. */
export function readJson(text: string): { readonly value?: unknown; readonly problem?: string } {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { problem: `Invalid JSON: ${errorMessage(error)}` }
  }
}

/** The JSON object in a text, or why there is none. */
export function readObject(
  text: string,
  other = 'Must be a JSON object',
): { readonly value?: Readonly<Record<string, unknown>>; readonly problem?: string } {
  const { value, problem } = readJson(text)
  if (problem !== undefined) return { problem }
  return isObject(value) ? { value } : { problem: other }
}

const MAX_LENGTH = 300

/** JSON on one line, truncated. */
export function shortJson(value: unknown): string {
  if (value === undefined) return ''
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return escapeHidden(text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text)
}
