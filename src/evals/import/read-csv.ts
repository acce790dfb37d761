import { parse } from 'csv-parse/sync'
import type { CsvError } from 'csv-parse/sync'
import { didYouMean } from '../../lib/did-you-mean.ts'
import { AppError } from '../../lib/errors.ts'
import { COLUMNS, lineError } from './data-row.ts'
import type { Column, DataSet } from './data-row.ts'

/**
 * Reads CSV (RFC 4180), with a byte order mark or without, whose first line names the columns. A semicolon or a tab
 * separates the values if the first line has no comma.
 *
 * @throws AppError `invalid_input` naming the line.
 */
export function readCsv(bytes: Buffer): DataSet {
  const [header, ...records] = recordsIn(bytes)
  if (!header) throw new AppError('invalid_input', 'The file is empty')
  const names = header.values.map((name) => name.trim().toLowerCase())
  const doubled = names.find((name, index) => names.indexOf(name) !== index)
  if (doubled !== undefined) throw lineError(header.line, `there are two columns "${doubled}"`)
  if (!names.includes('input')) throw noInput(names, header.line)
  const rows = records.map(({ line, values }) => {
    const cells = values.map((value, index) => [names[index], value] as const)
    return {
      line,
      values: Object.fromEntries(cells.filter(([name, value]) => isColumn(name) && value !== '')),
    }
  })
  return { rows, isText: true, others: names.filter((name) => !isColumn(name)) }
}

function isColumn(name: string | undefined): name is Column {
  return COLUMNS.some((one) => one === name)
}

function noInput(names: readonly string[], line: number): AppError {
  const similar = didYouMean('input', names)
  const hint =
    similar === undefined
      ? `The first line must name the columns: ${COLUMNS.join(', ')}.`
      : `Rename the column "${similar}".`
  return lineError(line, 'there is no column "input"', hint)
}

interface CsvRecord {
  readonly line: number
  readonly values: readonly string[]
}

function recordsIn(bytes: Buffer): readonly CsvRecord[] {
  const found: CsvRecord[] = []
  const lines = new Lines(bytes)
  let end = 0
  try {
    parse(bytes, {
      bom: true,
      delimiter: delimiterOf(bytes),
      record_delimiter: ['\r\n', '\n', '\r'],
      skip_empty_lines: true,
      on_record: (values: string[], { bytes_records: after }) => {
        found.push({ line: lines.startAfter(end), values })
        end = after
        return null
      },
    })
  } catch (error) {
    throw lineError(lines.startAfter(end), problemOf(error as CsvError, found[0]))
  }
  return found
}

function delimiterOf(bytes: Buffer): string {
  const [header = ''] = bytes.toString('utf8').split(/[\r\n]/, 1)
  return [',', ';', '\t'].find((one) => header.includes(one)) ?? ','
}

const PROBLEMS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'there is text after a closing quote; a quote inside quotes is written twice',
  INVALID_OPENING_QUOTE:
    'there is a quote in a value without quotes; enclose the value, and write the quote twice',
}

function problemOf({ code, message, ...error }: CsvError, header: CsvRecord | undefined): string {
  if (code === 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH')
    return `${(error['record'] as unknown[]).length} of ${header?.values.length} values`
  return PROBLEMS[code] ?? message
}

const LF = 10
const CR = 13

/** Counts the lines of a text, onwards only: the parser counts CRLF in quotes twice. */
class Lines {
  readonly #bytes: Buffer
  #at = 0
  #line = 1

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** The line of the next record after an offset in bytes, behind empty lines. */
  startAfter(offset: number): number {
    while (this.#at < offset || this.#isBreak(this.#at)) {
      const isCrlf = this.#bytes[this.#at] === CR && this.#bytes[this.#at + 1] === LF
      if (this.#isBreak(this.#at) && !isCrlf) this.#line++
      this.#at++
    }
    return this.#line
  }

  #isBreak(at: number): boolean {
    const byte = this.#bytes[at]
    return byte === LF || byte === CR
  }
}
