import type { ExecutionRow, ListedExecution } from '../../execution-store.ts'
import { EXECUTION_COLUMNS } from './execution-columns.ts'
import { workflowLevelEvents } from './journal-row.ts'
import type { JournalRow } from './journal-row.ts'

/** Larger values are left out of lists: those of a page would not fit into memory. */
const MAX_LISTED_BYTES = 262_144

const isLarge = (column: string) => `octet_length(${column}) > ${MAX_LISTED_BYTES}`
const unlessLarge = (column: string) => `CASE WHEN ${isLarge(column)} THEN NULL ELSE ${column} END`
const OMITTED_EVENTS = '[]'

/** SQL of the events of a commit; an empty array instead of large ones. */
export function listedEvents(column: string): string {
  return `CASE WHEN ${isLarge(column)} THEN '${OMITTED_EVENTS}' ELSE ${column} END`
}

/** SQL columns of a listed execution, of `executions e` and `payloads p`. */
export const LISTED_COLUMNS = [
  ...EXECUTION_COLUMNS.filter(([column]) => column !== 'output').map(
    ([column, key]) => `e.${column} AS "${key}"`,
  ),
  `${unlessLarge('e.output')} AS output`,
  `coalesce(${unlessLarge('p.input')}, 'null') AS input`,
  `coalesce(${unlessLarge('p.context')}, 'null') AS context`,
  'p."user"',
  `${isLarge('p.input')} AS "largeInput"`,
  `${isLarge('e.output')} AS "largeOutput"`,
].join(', ')

/** A row of `LISTED_COLUMNS`. */
export interface ListedRow extends ExecutionRow {
  readonly largeInput: boolean | number
  readonly largeOutput: boolean | number | null
}

/** An execution as it is listed, from its row and its commits with workflow-level events. */
export function listedExecution(
  { largeInput, largeOutput, ...row }: ListedRow,
  commits: readonly Pick<JournalRow, 'seq' | 'events'>[],
): ListedExecution {
  const isEmpty = commits.some(({ events }) => events === OMITTED_EVENTS)
  return {
    ...row,
    events: workflowLevelEvents(commits),
    omitted: [
      ...(largeInput ? (['input'] as const) : []),
      ...(largeOutput ? (['output'] as const) : []),
      ...(isEmpty ? (['events'] as const) : []),
    ],
  }
}
