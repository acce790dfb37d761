import type { ExecutionChange, ExecutionWrite } from '../store.ts'
import type { Database, SqlValue, Statement } from './driver.ts'
import { EXECUTION_COLUMNS, STEP_COLUMNS, valuesOf } from './rows.ts'

const CHANGE_COLUMNS = {
  status: 'status',
  epoch: 'epoch',
  updatedAt: 'updated_at',
  endedAt: 'ended_at',
  error: 'error',
  suspension: 'suspension',
  suspendRequest: 'suspend_request',
} as const satisfies Partial<Record<keyof ExecutionChange, string>>

type ChangeKey = keyof typeof CHANGE_COLUMNS

/** Applies execution writes with statements that are prepared once. */
export class ExecutionWriter {
  readonly #database: Database
  readonly #begin: Statement
  readonly #commit: Statement
  readonly #insertExecution: Statement
  readonly #insertPayload: Statement
  readonly #setOutput: Statement
  readonly #putStep: Statement
  readonly #cancelSteps: Statement
  readonly #insertEvent: Statement
  /** One UPDATE per combination of changed columns; there are a handful. */
  readonly #updates = new Map<string, Statement>()

  constructor(database: Database) {
    const prepare = (sql: string) => database.prepare(sql)
    const columns = EXECUTION_COLUMNS.map(([column]) => column)
    const stepColumns = STEP_COLUMNS.map(([column]) => column)
    this.#database = database
    this.#begin = prepare('BEGIN IMMEDIATE')
    this.#commit = prepare('COMMIT')
    this.#insertExecution = prepare(
      `INSERT INTO executions (${columns.join(', ')}) VALUES (${marks(columns.length)}) ON CONFLICT (id) DO NOTHING`,
    )
    this.#insertPayload = prepare('INSERT INTO payloads VALUES (?, ?, ?, ?)')
    this.#setOutput = prepare('UPDATE payloads SET output = ? WHERE execution_id = ?')
    this.#putStep = prepare(
      `INSERT OR REPLACE INTO steps (execution_id, ${stepColumns.join(', ')}) VALUES (${marks(stepColumns.length + 1)})`,
    )
    this.#cancelSteps = prepare(
      `UPDATE steps SET status = 'cancelled', ended_at = ? WHERE execution_id = ? AND status IN ('running', 'suspended')`,
    )
    this.#insertEvent = prepare('INSERT INTO events VALUES (?, ?, ?, ?)')
  }

  write(writes: readonly ExecutionWrite[]): boolean[] {
    this.#begin.run()
    try {
      const applied = writes.map((write) => this.#apply(write))
      this.#commit.run()
      return applied
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  #rollBack(): void {
    try {
      this.#database.exec('ROLLBACK')
    } catch (error) {
      // SQLite has rolled back by itself after some failures, such as a full disk
      if (!/no transaction is active/.test(String(error))) throw error
    }
  }

  #apply(write: ExecutionWrite): boolean {
    const { id, insert, update, steps = [], cancelStepsAt, events = [] } = write
    if (insert !== undefined) {
      if (!changed(this.#insertExecution.run(...valuesOf(EXECUTION_COLUMNS, insert)))) return false
      this.#insertPayload.run(id, insert.input, insert.context, insert.output)
    }
    if (update !== undefined && !this.#update(id, update)) return false
    if (cancelStepsAt !== undefined) this.#cancelSteps.run(cancelStepsAt, id)
    for (const step of steps) this.#putStep.run(id, ...valuesOf(STEP_COLUMNS, step))
    for (const event of events) this.#insertEvent.run(id, event.seq, event.workflowLevel ? 1 : 0, event.data)
    return true
  }

  #update(id: string, { from, epoch, set }: NonNullable<ExecutionWrite['update']>): boolean {
    const { output, ...rest } = set
    const keys = Object.keys(rest) as ChangeKey[]
    const values: SqlValue[] = keys.map((key) => rest[key] ?? null)
    const condition = epoch === undefined ? [id, from] : [id, from, epoch]
    const done = changed(this.#updateOf(keys, epoch !== undefined).run(...values, ...condition))
    if (done && output !== undefined) this.#setOutput.run(output, id)
    return done
  }

  #updateOf(keys: readonly ChangeKey[], fenced: boolean): Statement {
    const name = `${keys.join()}${fenced ? '!' : ''}`
    const known = this.#updates.get(name)
    if (known) return known
    const assignments = keys.map((key) => `${CHANGE_COLUMNS[key]} = ?`).join(', ')
    const fence = fenced ? ' AND epoch = ?' : ''
    const made = this.#database.prepare(
      `UPDATE executions SET ${assignments} WHERE id = ? AND status = ?${fence}`,
    )
    this.#updates.set(name, made)
    return made
  }
}

function marks(count: number): string {
  return Array.from({ length: count }, () => '?').join(', ')
}

function changed(result: { readonly changes: number | bigint }): boolean {
  return Number(result.changes) > 0
}
