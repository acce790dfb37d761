import fs from 'node:fs/promises'
import path from 'node:path'
import { AppError, messageOf } from '../../lib/errors.ts'
import { similarFile } from '../../lib/files/similar-file.ts'
import { parseJson } from '../../lib/json/parse-json.ts'
import { COLUMNS, lineError } from './data-row.ts'
import type { DataSet, DataRow } from './data-row.ts'
import { readCsv } from './read-csv.ts'

const MAX_BYTES = 256 * 1024 * 1024
const READERS: Readonly<Record<string, (bytes: Buffer) => DataSet>> = {
  '.csv': readCsv,
  '.jsonl': (bytes) => readJsonl(bytes.toString('utf8').replace(/^\uFEFF/, '')),
}

/**
 * Reads a data set from a file, by its extension.
 *
 * @throws AppError `invalid_input` naming the file, and the line that is broken.
 */
export async function readDataSet(file: string): Promise<DataSet> {
  const invalid = (problem: string, hint?: string) =>
    new AppError('invalid_input', `${file}: ${problem}`, hint === undefined ? {} : { hint })
  const read = READERS[path.extname(file).toLowerCase()]
  if (!read) throw invalid('the name must end in .csv or .jsonl')
  const bytes = await bytesOf(file)
  if (bytes.length > MAX_BYTES) throw invalid('larger than 256 MiB', 'Split the file.')
  if (!isUtf8(bytes)) throw invalid('not UTF-8 text', 'Save it as UTF-8.')
  let found: DataSet
  try {
    found = read(bytes)
  } catch (error) {
    throw error instanceof AppError ? invalid(error.message, error.hint) : error
  }
  if (found.rows.length === 0) throw invalid('there are no rows')
  return found
}

async function bytesOf(file: string): Promise<Buffer> {
  try {
    return await fs.readFile(file)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const similar = code === 'ENOENT' ? similarFile(file) : undefined
    throw new AppError('invalid_input', `${file}: can't be read (${code})`, {
      cause,
      ...(similar !== undefined && { hint: `Did you mean "${path.relative('.', similar)}"?` }),
    })
  }
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    // the only error of a fatal decoder
    return false
  }
}

/**
 * Reads JSON Lines: a JSON object per line. Empty lines are skipped.
 *
 * @throws AppError `invalid_input` naming the line.
 */
function readJsonl(text: string): DataSet {
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
