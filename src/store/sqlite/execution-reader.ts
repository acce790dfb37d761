import type {
  EventRange,
  EventRow,
  ExecutionFilter,
  ExecutionRow,
  ListedExecution,
  Page,
  StepRow,
} from '../store.ts'
import type { Database, SqlValue, Statement } from './driver.ts'
import { EXECUTION_COLUMNS, STEP_COLUMNS, eventFrom, selection } from './rows.ts'

const EXECUTION = `${selection(EXECUTION_COLUMNS, 'e.')}, p.input AS input, p.context AS context, p.output AS output`
const FROM = 'FROM executions e JOIN payloads p ON p.execution_id = e.id'

const CONDITIONS = {
  workflowId: 'workflow_id = ?',
  status: 'status = ?',
  userId: 'user_id = ?',
  conversationId: 'conversation_id = ?',
  from: 'created_at > ?',
  to: 'created_at < ?',
} as const satisfies Record<keyof ExecutionFilter, string>

type FilterKey = keyof ExecutionFilter

/** Reads executions with statements that are prepared once. */
export class ExecutionReader {
  readonly #database: Database
  readonly #get: Statement
  readonly #steps: Statement
  readonly #events: Statement
  readonly #workflowEvents: Statement
  readonly #lastSequence: Statement
  readonly #stranded: Statement
  readonly #openChildren: Statement
  /** One statement per combination of filters in use. */
  readonly #filtered = new Map<string, Statement>()

  constructor(database: Database) {
    const prepare = (sql: string) => database.prepare(sql)
    this.#database = database
    this.#get = prepare(`SELECT ${EXECUTION} ${FROM} WHERE e.id = ?`)
    this.#steps = prepare(
      `SELECT ${selection(STEP_COLUMNS)} FROM steps WHERE execution_id = ? ORDER BY started_at, position, path`,
    )
    this.#events = prepare(
      'SELECT seq, workflow_level AS level, data FROM events WHERE execution_id = ? AND seq > ? ORDER BY seq LIMIT ?',
    )
    this.#workflowEvents = prepare(
      'SELECT seq, workflow_level AS level, data FROM events WHERE execution_id = ? AND workflow_level = 1 ORDER BY seq',
    )
    this.#lastSequence = prepare('SELECT max(seq) AS seq FROM events WHERE execution_id = ?')
    this.#stranded = prepare(
      `SELECT id FROM executions WHERE status = 'running' AND epoch < ? ORDER BY created_at, number`,
    )
    this.#openChildren = prepare(
      `SELECT id FROM executions WHERE parent_id = ? AND status IN ('running', 'suspended') ORDER BY number`,
    )
  }

  get(id: string): ExecutionRow | undefined {
    // libsql adds a member of its own to what `get` finds, but not to what `all` finds
    return this.#get.all(id)[0] as ExecutionRow | undefined
  }

  list(filter: ExecutionFilter, page: Page): ListedExecution[] {
    const { keys, values } = conditionsOf(filter)
    const rows = this.#select(keys).all(...values, page.limit, page.offset) as ExecutionRow[]
    return rows.map((row) => ({ ...row, events: this.#workflowEvents.all(row.id).map(eventFrom) }))
  }

  count(filter: ExecutionFilter): number {
    const { keys, values } = conditionsOf(filter)
    const name = `count ${keys.join()}`
    const sql = `SELECT count(*) AS total FROM executions ${where(keys)}`
    return (this.#prepared(name, sql).get(...values) as { total: number }).total
  }

  steps(id: string): StepRow[] {
    return this.#steps.all(id) as StepRow[]
  }

  events(id: string, { after, limit }: EventRange): EventRow[] {
    return this.#events.all(id, after, limit).map(eventFrom)
  }

  lastSequence(id: string): number {
    return (this.#lastSequence.get(id) as { seq: number | null }).seq ?? 0
  }

  stranded(epoch: number): string[] {
    return idsOf(this.#stranded.all(epoch))
  }

  openChildren(id: string): string[] {
    return idsOf(this.#openChildren.all(id))
  }

  #select(keys: readonly FilterKey[]): Statement {
    // the page is found in an index alone, so that deep offsets skip index entries and not rows
    const page = `SELECT number FROM executions ${where(keys)} ORDER BY created_at DESC, number DESC LIMIT ? OFFSET ?`
    const sql = `SELECT ${EXECUTION} ${FROM} WHERE e.number IN (${page}) ORDER BY e.created_at DESC, e.number DESC`
    return this.#prepared(`select ${keys.join()}`, sql)
  }

  #prepared(name: string, sql: string): Statement {
    const known = this.#filtered.get(name)
    if (known) return known
    const made = this.#database.prepare(sql)
    this.#filtered.set(name, made)
    return made
  }
}

function conditionsOf(filter: ExecutionFilter): { keys: FilterKey[]; values: SqlValue[] } {
  const keys = (Object.keys(CONDITIONS) as FilterKey[]).filter((key) => filter[key] !== undefined)
  return { keys, values: keys.map((key) => filter[key] as SqlValue) }
}

function where(keys: readonly FilterKey[]): string {
  return keys.length === 0 ? '' : `WHERE ${keys.map((key) => CONDITIONS[key]).join(' AND ')}`
}

function idsOf(rows: readonly unknown[]): string[] {
  return rows.map((row) => (row as { id: string }).id)
}
