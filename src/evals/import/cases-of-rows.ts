import { createHash } from 'node:crypto'
import { Case, CaseTarget, kindAndId } from '../../contract/evals/case.ts'
import { CasePath } from '../../contract/endpoints/project/kept-cases.ts'
import { didYouMean } from '../../lib/did-you-mean.ts'
import { AppError, messageOf } from '../../lib/errors.ts'
import { parseJson } from '../../lib/json/parse-json.ts'
import { lineError } from './data-row.ts'
import type { DataRow, DataSet } from './data-row.ts'

/** A case to be written. */
export interface ImportedCase {
  /** Relative to the project, with `/`. */
  readonly file: string
  readonly case: Case
}

/** What the project has. */
export interface KnownTargets {
  /** The ids of each kind of target. */
  readonly ids: Readonly<Record<string, readonly string[]>>
  /** Whether the input of a target must be an object. */
  readonly wantsObject: (target: CaseTarget) => boolean
}

export interface ImportOptions {
  /** The data set's file, for error messages. */
  readonly file: string
  /** The folder below `cases`. */
  readonly name: string
  /** The target of rows without one. */
  readonly target: CaseTarget | undefined
  readonly known: KnownTargets
}

const ID_LENGTH = 16
const MAX_PROBLEMS = 10

/**
 * The cases of all rows of a data set.
 *
 * @throws AppError `invalid_input` naming the first lines that are not valid.
 */
export function casesOfRows({ rows, isText }: DataSet, options: ImportOptions): readonly ImportedCase[] {
  const lines = new Map<string, number>()
  const cases: ImportedCase[] = []
  const problems: AppError[] = []
  for (const row of rows) {
    try {
      const one = caseOfRow(row, isText, options)
      const before = lines.get(one.file)
      if (before !== undefined)
        throw lineError(
          row.line,
          `the same ${row.values.id === undefined ? 'target and input' : 'id'} as on line ${before}`,
          'Remove one of them, or add a column "id" with unique values.',
        )
      lines.set(one.file, row.line)
      cases.push(one)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      problems.push(error)
      if (problems.length === MAX_PROBLEMS) break
    }
  }
  const [first] = problems
  if (!first) return cases
  const hint = `${first.hint === undefined ? '' : `${first.hint} `}Nothing was imported.`
  if (problems.length === 1)
    throw new AppError('invalid_input', `${options.file}: ${first.message}`, { hint })
  const count = problems.length === MAX_PROBLEMS ? `${MAX_PROBLEMS} or more` : problems.length
  const messages = problems.map(({ message }) => `\n  ${message}`).join('')
  throw new AppError('invalid_input', `${options.file}: ${count} lines are not valid:${messages}`, { hint })
}

function caseOfRow(
  { line, values }: DataRow,
  isText: boolean,
  { name, target: given, known }: ImportOptions,
): ImportedCase {
  const target = targetOf(values.target, given, line)
  checkKnown(target, known, line)
  const read = (value: unknown, isValue: IsValue) =>
    isText && typeof value === 'string' ? jsonOrText(value, isValue) : value
  const isAgent = 'agent' in target
  const input = read(values.input, isAgent ? isAgentInput : isAny)
  if (input === undefined) throw lineError(line, 'there is no input')
  if (isAgent && !isAgentInput(input)) throw lineError(line, 'input: must be a text, or a list of messages')
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  if (!isObject && known.wantsObject(target)) throw noObject(line, target, values.input)
  const expected = read(values.expected, isAgent ? isAgentOutput : isAny)
  const parsed = Case.safeParse({
    target,
    input,
    ...(expected !== undefined && { expected }),
    ...(values.note !== undefined && { note: values.note }),
  })
  if (!parsed.success)
    throw lineError(
      line,
      parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '),
    )
  const id = values.id ?? hashOf([target, input])
  const file = `cases/${name}/${typeof id === 'string' || typeof id === 'number' ? id : ''}.json`
  if (!CasePath.safeParse(file).success)
    throw lineError(
      line,
      'id: must have letters, digits, ".", "_" and "-" only, at most 128, and be no device of Windows, such as con',
    )
  return { file, case: parsed.data }
}

type IsValue = (value: unknown) => boolean

const isAny: IsValue = () => true

/** For an agent a number is a text like any other. */
const isAgentInput: IsValue = (value) =>
  typeof value === 'string' ||
  (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'object' && one !== null))
const isAgentOutput: IsValue = (value) =>
  typeof value === 'string' || (typeof value === 'object' && value !== null)

/** The value, if the text is JSON for one; else the text itself. */
function jsonOrText(text: string, isValue: IsValue): unknown {
  try {
    const value = parseJson(text)
    return isValue(value) ? value : text
  } catch {
    // a text like any other
    return text
  }
}

/** The target of a row or an option: `workflow:order`, or JSON. */
export function parseTarget(value: unknown): CaseTarget | undefined {
  const [, kind, id] = (typeof value === 'string' && /^\s*(workflow|agent|tool):(\S+)\s*$/.exec(value)) || []
  const read =
    kind === undefined ? (typeof value === 'string' ? jsonOrText(value, isAny) : value) : { [kind]: id }
  const parsed = CaseTarget.safeParse(read)
  return parsed.success ? parsed.data : undefined
}

function targetOf(value: unknown, given: CaseTarget | undefined, line: number): CaseTarget {
  if (value === undefined || value === null) {
    if (given) return given
    throw lineError(line, 'there is no target', 'Add a column "target", or pass --target workflow:<id>.')
  }
  const target = parseTarget(value)
  if (target) return target
  throw lineError(
    line,
    'target: must be workflow:<id>, agent:<id> or tool:<name>, or such JSON as {"workflow":"<id>"}',
  )
}

function checkKnown(target: CaseTarget, { ids }: KnownTargets, line: number): void {
  const [kind, id] = kindAndId(target)
  const known = ids[kind] ?? []
  if (known.includes(id)) return
  const similar = didYouMean(id, known)
  const hint =
    similar === undefined
      ? `Available ${kind}s: ${known.join(', ') || 'none'}.`
      : `Did you mean "${similar}"?`
  throw lineError(line, `there is no ${kind} "${id}"`, hint)
}

function noObject(line: number, target: CaseTarget, input: unknown): AppError {
  const [kind, id] = kindAndId(target)
  const reason = typeof input === 'string' ? reasonOf(input) : ''
  return lineError(
    line,
    `input: the ${kind} "${id}" requires a JSON object${reason}`,
    'Write the input as JSON, such as {"orderId":"A-1"}; in CSV, in quotes, each quote in it twice.',
  )
}

function reasonOf(text: string): string {
  try {
    parseJson(text)
    return ''
  } catch (error) {
    return ` (${messageOf(error).replace('Invalid JSON: ', 'not JSON: ')})`
  }
}

/** The same for the same target and input, in whatever row they are. */
function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, ID_LENGTH)
}
