import { AppError } from '../lib/errors.ts'

/**
 * The query of a URL as an object.
 *
 * @throws AppError `invalid_input` when a parameter is given more than once.
 */
export function queryValues(url: string): Record<string, string> {
  const start = url.indexOf('?')
  if (start === -1) return {}
  const values = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(url.slice(start + 1))) {
    if (values.has(name)) throw new AppError('invalid_input', `${name}: Given more than once`)
    values.set(name, value)
  }
  return Object.fromEntries(values)
}
