import { messageOf } from '../../lib/errors.ts'
import { parseJson } from '../../lib/json/parse-json.ts'
import { COLUMNS, type DataRow, type DataSet, lineError } from './data-row.ts'

/**
 * Reads JSON Lines: a JSON object per line. Empty lines are skipped.
 *
 * @throws AppError `invalid_input` naming the line.
 */
export function readJsonl(text: string): DataSet {
  const others = new Set<string>()
  const rows: DataRow[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const object = objectIn(line, index + 1)
    const names = Object.keys(object)
    for (const name of names) if (!COLUMNS.some((one) => one === name)) others.add(name)
    rows.push({ line: index + 1, values: object })
  }
  return { rows, isText: false, others: [...others] }
}

function objectIn(text: string, line: number): DataRow['values'] {
  let value: unknown
  try {
    value = parseJson(text)
  } catch (error) {
    throw lineError(line, messageOf(error).replace(/^I/, 'i'))
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw lineError(
    line,
    'not a JSON object',
    'Each line must be an object with target, input, expected and note.',
  )
}
