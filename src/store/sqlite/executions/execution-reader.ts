import { isFinal } from '../../../contract/is-final.ts'
import type {
  EventRange,
  EventRow,
  ExecutionFilter,
  ExecutionHistory,
  ExecutionRow,
  ListedExecution,
  Milestone,
  OwnershipRow,
  StepRow,
} from '../../execution-store.ts'
import type { Page } from '../../page.ts'
import type { Database, SqlValue, Statement } from '../driver.ts'
import {
  EXECUTION_COLUMNS,
  EXECUTION_CONDITIONS,
  kindCondition,
} from '../../rows/executions/execution-columns.ts'
import { LISTED_COLUMNS, listedEvents, listedExecution } from '../../rows/executions/listed-values.ts'
import type { ListedRow } from '../../rows/executions/listed-values.ts'
import { eventsOf, foldSteps, historyOf, workflowLevelEvents } from '../../rows/executions/journal-row.ts'
import type { HistoryRow, JournalRow } from '../../rows/executions/journal-row.ts'
import { NUMBER_OF_ID } from './rows.ts'
import { matchExpression } from '../search/match-expression.ts'
import { StatementCache } from '../statement-cache.ts'

/** Maximum number of journal rows that are read at a time when the result is limited by characters. */
const MAX_ROWS_AT_ONCE = 8

const COLUMNS = EXECUTION_COLUMNS.map(([column, key]) => `e.${column} AS ${key}`)
const EXECUTION = [...COLUMNS, 'p.input AS input', 'p.context AS context', 'p.user AS user'].join(', ')
const FROM = 'FROM executions e JOIN payloads p ON p.execution = e.number'

/** The changes of steps of an execution, as one JSON array of arrays; null without any. */
const stepsOf = (number: string) =>
  `(SELECT '[' || group_concat(steps, ',') || ']' FROM
    (SELECT steps FROM journal WHERE execution = ${number} AND octet_length(steps) > 2 ORDER BY seq))`
/** The columns of a HistoryRow. */
const HISTORY = `${EXECUTION}, ${stepsOf('e.number')} AS steps,
  coalesce((SELECT max(seq) FROM journal WHERE execution = e.number), 0) AS lastSequence`

const COMMITS = `FROM journal WHERE execution = ${NUMBER_OF_ID}`

const CONDITIONS = {
  ...EXECUTION_CONDITIONS,
  // must be identical to the expression of the index
  forkedFrom: `forked_from IS NOT NULL AND CASE WHEN json_valid(forked_from) THEN json_extract(forked_from, '$.executionId') END = ?`,
} as const

const FOUND = `number IN (SELECT record FROM search_documents WHERE kind = 0
  AND number IN (SELECT rowid FROM search_text WHERE search_text MATCH ?))`

/** A member of the metadata, and its value as text. */
const HAS_METADATA = `EXISTS (SELECT 1 FROM json_each(executions.metadata) m WHERE m.key = ? AND
  CASE m.type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE CAST(m.atom AS TEXT) END = ?)`

/** Queries of executions. */
export class ExecutionReader {
  readonly #get: Statement
  readonly #ownership: Statement
  readonly #history: Statement
  readonly #steps: Statement
  readonly #events: Statement
  readonly #workflowEvents: Statement
  readonly #listedEvents: Statement
  readonly #lastSequence: Statement
  readonly #openChildren: Statement
  readonly #filtered: StatementCache

  constructor(database: Database) {
    const prepare = (sql: string) => database.prepare(sql)
    this.#filtered = new StatementCache(database)
    this.#get = prepare(`SELECT ${EXECUTION} ${FROM} WHERE e.id = ?`)
    this.#history = prepare(`SELECT ${HISTORY} ${FROM} WHERE e.id = ?`)
    this.#ownership = prepare(
      'SELECT id, workflow_id AS workflowId, parent_id AS parentId, owner FROM executions WHERE id = ?',
    )
    this.#steps = prepare(`SELECT ${stepsOf(NUMBER_OF_ID)} AS steps`)
    this.#events = prepare(`SELECT seq, events ${COMMITS} AND seq > ? ORDER BY seq LIMIT ?`)
    const milestones = (events: string) =>
      prepare(`SELECT seq, ${events} AS events ${COMMITS} AND milestone IS NOT NULL ORDER BY seq`)
    this.#workflowEvents = milestones('events')
    this.#listedEvents = milestones(listedEvents('events'))
    this.#lastSequence = prepare(`SELECT max(seq) AS seq ${COMMITS}`)
    this.#openChildren = prepare(
      `SELECT id FROM executions WHERE parent_id = ? AND status IN ('running', 'suspended') ORDER BY number`,
    )
  }

  get(id: string): ExecutionRow | undefined {
    // libsql adds a member to the result of `get`, but not to those of `all`
    return this.#get.all(id)[0] as ExecutionRow | undefined
  }

  ownership(id: string): OwnershipRow | undefined {
    return this.#ownership.all(id)[0] as OwnershipRow | undefined
  }

  history(id: string): ExecutionHistory | undefined {
    const [row] = this.#history.all(id) as HistoryRow[]
    return row && historyOf(row)
  }

  /** An execution with its workflow-level events up to the commit that ends with this sequence number. */
  milestone(id: string, seq: number): Omit<Milestone, 'number'> | undefined {
    const row = this.get(id)
    const commits = this.#workflowEvents.all(id) as JournalRow[]
    const place = commits.findIndex((commit) => commit.seq === seq)
    if (!row || place === -1) return undefined
    const events = workflowLevelEvents(commits.slice(0, place + 1))
    return { isFirst: place === 0, isLast: place === commits.length - 1, execution: { ...row, events } }
  }

  list(filter: ExecutionFilter, page: Page): ListedExecution[] {
    const { conditions, values } = conditionsOf(filter)
    const rows = this.#select(LISTED_COLUMNS, conditions).all(
      ...values,
      page.limit,
      page.offset,
    ) as ListedRow[]
    return rows.map((row) => listedExecution(row, this.#listedEvents.all(row.id) as JournalRow[]))
  }

  histories(filter: ExecutionFilter, page: Page): ExecutionHistory[] {
    const { conditions, values } = conditionsOf(filter)
    const rows = this.#select(HISTORY, conditions).all(...values, page.limit, page.offset) as HistoryRow[]
    return rows.map((row) => historyOf(row))
  }

  count(filter: ExecutionFilter): number {
    const { conditions, values } = conditionsOf(filter)
    const sql = `SELECT count(*) AS total FROM executions ${where(conditions)}`
    return (this.#filtered.get(sql).get(...values) as { total: number }).total
  }

  steps(id: string): StepRow[] {
    return foldSteps((this.#steps.get(id) as Pick<HistoryRow, 'steps'>).steps)
  }

  events(id: string, { after, limit, chars }: EventRange): EventRow[] {
    if (chars !== undefined) return this.#eventsWithin(id, { after, limit, chars })
    const rows = this.#events.all(id, after, limit) as JournalRow[]
    return rows
      .flatMap((row) => eventsOf(row))
      .filter(({ seq }) => seq > after)
      .slice(0, limit)
  }

  workflowEvents(id: string): EventRow[] {
    return workflowLevelEvents(this.#workflowEvents.all(id) as JournalRow[])
  }

  lastSequence(id: string): number {
    return (this.#lastSequence.get(id) as { seq: number | null }).seq ?? 0
  }

  openChildren(id: string): string[] {
    return idsOf(this.#openChildren.all(id))
  }

  /** Reads few rows at a time, as one row has all events of a commit, which can be megabytes. */
  #eventsWithin(id: string, { after, limit, chars }: Required<EventRange>): EventRow[] {
    const found: EventRow[] = []
    let size = 0
    let last = after
    for (let count = 1; ; count = Math.min(2 * count, MAX_ROWS_AT_ONCE)) {
      const rows = this.#events.all(id, last, count) as JournalRow[]
      for (const event of rows.flatMap((row) => eventsOf(row))) {
        if (event.seq <= after) continue
        size += event.data.length
        if (found.length === limit || (found.length > 0 && size > chars)) return found
        found.push({ ...event, data: copyText(event.data) })
      }
      last = rows.at(-1)?.seq ?? last
      if (rows.length < count) return found
    }
  }

  #select(columns: string, conditions: readonly string[]): Statement {
    // the subquery uses an index only, so that deep offsets skip index entries and not rows
    const page = `SELECT number FROM executions ${where(conditions)} ORDER BY created_at DESC, number DESC LIMIT ? OFFSET ?`
    return this.#filtered.get(
      `SELECT ${columns} ${FROM} WHERE e.number IN (${page}) ORDER BY e.created_at DESC, e.number DESC`,
    )
  }
}

function conditionsOf(filter: ExecutionFilter): { conditions: string[]; values: SqlValue[] } {
  const keys = (Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[]).filter(
    (key) => filter[key] !== undefined,
  )
  const match = filter.search && matchExpression(filter.search)
  const conditions: string[] = [
    kindCondition(filter),
    // SQLite uses the index for IS NULL, not for = NULL
    ...keys.map((key) =>
      filter[key] === null ? CONDITIONS[key].replace('= ?', 'IS NULL') : CONDITIONS[key],
    ),
  ]
  // selects one of the two partial indexes on the status
  if (filter.status) conditions.push(`ended_at IS ${isFinal(filter.status) ? 'NOT NULL' : 'NULL'}`)
  const values = keys
    .map((key) => filter[key])
    .filter((value) => value !== true && value !== null) as SqlValue[]
  for (const member of Object.entries(filter.metadata ?? {})) {
    conditions.push(HAS_METADATA)
    values.push(...member)
  }
  if (match === undefined) return { conditions, values }
  return { conditions: [...conditions, FOUND], values: [...values, match] }
}

/** A copy of a substring, which does not keep the text of the whole row in memory. */
function copyText(part: string): string {
  return Buffer.from(part).toString()
}

function where(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
}

function idsOf(rows: readonly unknown[]): string[] {
  return rows.map((row) => (row as { id: string }).id)
}
