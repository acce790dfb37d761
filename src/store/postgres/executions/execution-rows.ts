import type { ExecutionRow, ExecutionWithEvents } from '../../execution-store.ts'
import { EXECUTION_COLUMNS } from '../../rows/executions/execution-columns.ts'
import { workflowLevelEvents } from '../../rows/executions/journal-row.ts'
import type { JournalRow } from '../../rows/executions/journal-row.ts'
import { unescapeNul } from '../escape-nul.ts'

/** Columns whose text is not JSON, in which NUL is escaped. */
export const PLAIN_COLUMNS = [
  'id',
  'workflowId',
  'workflowName',
  'userId',
  'conversationId',
  'parentId',
  'definitionHash',
  'traceId',
  'spanId',
] as const satisfies readonly (keyof ExecutionRow)[]

const COLUMNS = EXECUTION_COLUMNS.map(([column, key]) => `e.${column} AS "${key}"`).join(', ')

/** The columns of an ExecutionRow, of `executions e` and `payloads p`. */
export const EXECUTION_ROW = `${COLUMNS}, p.input, p.context, p."user"`

/** SQL of the changes of steps of an execution, as one JSON array of arrays; null without any. */
export const stepsOf = (number: string) =>
  `(SELECT '[' || string_agg(steps, ',' ORDER BY seq) || ']' FROM journal WHERE execution = ${number} AND octet_length(steps) > 2)`

/** The columns of a HistoryRow. */
export const HISTORY_ROW = `${EXECUTION_ROW}, ${stepsOf('e.number')} AS steps, e.last_sequence AS "lastSequence"`

/** Octets of a UTF-16 unit in UTF-8, at most: a limit in characters is applied to octets first, which need not be read. */
export const MAX_OCTETS = 3

/** JSON has no line breaks, and the JSON arrays of the journal none in succession. */
const SEPARATOR = '\n\n'

/** SQL of the columns of StoredCommits, of the commits with milestones up to a sequence number. */
export function commitsUpTo(seq: string, events = 'j.events'): string {
  return `SELECT string_agg(j.seq::text, ',' ORDER BY j.seq) AS seqs, string_agg(${events}, E'\\n\\n' ORDER BY j.seq) AS commits
    FROM milestones c JOIN journal j ON j.execution = c.execution AND j.seq = c.seq
    WHERE c.execution = e.number AND c.seq <= ${seq}`
}

export interface StoredCommits {
  /** Sequence numbers of the commits with milestones; null without any. */
  readonly seqs: string | null
  /** Their events. */
  readonly commits: string | null
}

/** An execution with the workflow-level events of its commits. */
export function executionWithEvents({
  seqs,
  commits,
  ...row
}: ExecutionRow & StoredCommits): ExecutionWithEvents {
  return { ...originalRow(row), events: workflowLevelEvents(commitsOf({ seqs, commits })) }
}

/** The row as it was before NUL was escaped. */
export function originalRow<Row extends Partial<ExecutionRow>>(row: Row): Row {
  const original: Record<string, unknown> = { ...row }
  for (const key of PLAIN_COLUMNS) {
    const text = row[key]
    if (text !== undefined) original[key] = unescapeNul(text)
  }
  return original as Row
}

export function commitsOf({ seqs, commits }: StoredCommits): Pick<JournalRow, 'seq' | 'events'>[] {
  if (seqs === null || commits === null) return []
  const numbers = seqs.split(',').map(Number)
  return commits.split(SEPARATOR).map((events, index) => ({ seq: numbers[index] ?? 0, events }))
}
