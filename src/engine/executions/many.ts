import { isFinal } from '../../contract/is-final.ts'
import type { ExecutionStatus } from '../../contract/status.ts'
import { EXECUTION_STATUSES } from '../../contract/status/execution-statuses.ts'
import { messageOf } from '../../lib/errors.ts'
import type { ExecutionFilter, ExecutionRow } from '../../store/execution-store.ts'
import type { Store } from '../../store/store.ts'

/** Executions that are read, and changed, at the same time. */
const PAGE = 200
const AT_ONCE = 20

/** The executions that a filter chooses for a change. */
export interface Chosen {
  readonly filter: ExecutionFilter
  /** Whether they have ended. */
  readonly ended: boolean
  /** The maximum number of them. */
  readonly limit: number
}

export interface ManyChanged<Result> {
  readonly done: readonly Result[]
  readonly failed: readonly { readonly executionId: string; readonly error: string }[]
}

/** How many executions a filter chooses. */
export async function countChosen({ executions }: Store, { filter, ended }: Chosen): Promise<number> {
  const counts = await Promise.all(
    statusesOf(filter, ended).map((status) => executions.count({ ...filter, status })),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

/**
 * Changes each execution that a filter chooses, the newest first. Those that can't be changed are reported; `undefined` as
 * the result leaves one out without a report.
 */
export async function changeChosen<Result>(
  store: Store,
  chosen: Chosen,
  change: (row: ExecutionRow) => Promise<Result | undefined>,
): Promise<ManyChanged<Result>> {
  // all are found before the first changes: a change moves the others to another page
  const rows = await chosenRows(store, chosen)
  const done: Result[] = []
  const failed: { executionId: string; error: string }[] = []
  const changeOne = async (row: ExecutionRow) => {
    try {
      const result = await change(row)
      if (result !== undefined) done.push(result)
    } catch (error) {
      failed.push({ executionId: row.id, error: messageOf(error) })
    }
  }
  for (let from = 0; from < rows.length; from += AT_ONCE)
    await Promise.all(rows.slice(from, from + AT_ONCE).map((row) => changeOne(row)))
  return { done, failed }
}

async function chosenRows({ executions }: Store, { filter, ended, limit }: Chosen): Promise<ExecutionRow[]> {
  const rows: ExecutionRow[] = []
  for (const status of statusesOf(filter, ended)) {
    for (let offset = 0; rows.length < limit; offset += PAGE) {
      const page = await executions.list({ ...filter, status }, { limit: PAGE, offset })
      rows.push(...page.map(({ events: _, omitted: __, ...row }) => row))
      if (page.length < PAGE) break
    }
  }
  return rows.slice(0, limit)
}

function statusesOf({ status }: ExecutionFilter, ended: boolean): ExecutionStatus[] {
  return EXECUTION_STATUSES.filter(
    (one) => isFinal(one) === ended && (status === undefined || status === one),
  )
}
