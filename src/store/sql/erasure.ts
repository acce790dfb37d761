import { addRows } from '../erasure-store.ts'
import type {
  ErasableRecord,
  ErasableRecords,
  ErasedRows,
  ErasureStore,
  RecordIds,
} from '../erasure-store.ts'
import { IS_LISTED } from '../rows/executions/execution-columns.ts'
import type { Dialect } from './dialect.ts'
import { tx } from './sql.ts'
import type { Sql, SqlParam, SqlParams, Transaction } from './sql.ts'

/** A change, and the name of the table in which it deletes rows. All parameters have the same value. */
type Statement = readonly [table: string, sql: string]

const RECORD = `id, trace_id AS "traceId", ended_at IS NULL AS "isOpen"`
const CONVERSATIONS = 'SELECT number FROM conversations WHERE user_key = ? OR owner = ?'

/** Statements on executions and agent runs by their ids, and on a user. */
function textsOf({ among, jsonText, isServer }: Dialect) {
  const executions = `SELECT number FROM executions WHERE ${among('id')}`
  const runs = `SELECT number FROM agent_runs WHERE ${among('id')}`
  const of = (table: string, column: string, selection: string): Statement => [
    table,
    `DELETE FROM ${table} WHERE ${column} IN (${selection})`,
  ]
  const named = (table: string, column: string): Statement => [
    table,
    `DELETE FROM ${table} WHERE ${among(column)}`,
  ]
  const document = (kind: 0 | 1, records: string): Statement => [
    'search_documents',
    `DELETE FROM search_documents WHERE kind = ${kind} AND record IN (${records})`,
  ]
  const budgets = (condition: string): Statement => [
    'budget_hours',
    `DELETE FROM budget_hours WHERE ${condition}`,
  ]
  const taken = (condition: string) =>
    `EXISTS (SELECT 1 FROM event_takes t WHERE t.event_id = events.id AND ${condition})`
  // an event that another execution took, too, is part of the other's record
  const takenAlone: Statement = [
    'events',
    `DELETE FROM events WHERE ${taken(among('t.execution_id'))} AND NOT ${taken(`NOT (${among('t.execution_id')})`)}`,
  ]
  // numbers of milestones are not used again
  const milestones: Statement = isServer
    ? of('milestones', 'execution', executions)
    : [
        '',
        `UPDATE owner SET pruned_milestone = max(pruned_milestone, coalesce((SELECT max(milestone) FROM journal
           WHERE milestone IS NOT NULL AND execution IN (${executions})), 0))`,
      ]
  return {
    executions: `SELECT ${RECORD} FROM executions WHERE ${among('id')}`,
    partExecutions: `SELECT ${RECORD} FROM executions WHERE ${among('parent_id')}`,
    partRuns: `SELECT ${RECORD} FROM agent_runs WHERE ${among('parent_id')}`,
    executionsOfUser: `SELECT ${RECORD} FROM executions WHERE ${IS_LISTED} AND (user_id = ? OR owner = ?) ORDER BY number LIMIT ?`,
    runsOfUser: `SELECT ${RECORD} FROM agent_runs WHERE user_id = ? ORDER BY number LIMIT ?`,
    deleteExecutions: [
      document(0, executions),
      takenAlone,
      named('event_takes', 'execution_id'),
      named('waits', 'execution_id'),
      named('queue', 'execution_id'),
      named('queue_starts', 'execution_id'),
      milestones,
      of('journal', 'execution', executions),
      of('payloads', 'execution', executions),
      of('execution_usage', 'execution', executions),
      of('step_models', 'execution', executions),
      budgets(`per = 'run' AND ${among('subject')}`),
      named('executions', 'id'),
    ],
    deleteRuns: [
      document(1, runs),
      of('search_changes', 'run', runs),
      // the execution of an answer, which is deleted with it, has its id
      takenAlone,
      of('agent_parts', 'run', runs),
      of('agent_approvals', 'run', runs),
      budgets(`per = 'run' AND ${among('subject')}`),
      named('agent_runs', 'id'),
    ],
    deleteOfUserKey: [
      of('messages', 'conversation', CONVERSATIONS),
      of('conversations', 'number', CONVERSATIONS),
      ['working_memory', 'DELETE FROM working_memory WHERE user_key = ? OR owner = ?'],
    ] as const satisfies readonly Statement[],
    deleteOfUserId: [
      ['events', `DELETE FROM events WHERE ${jsonText('sender', 'user', 'id')} = ?`],
      budgets(`per = 'user' AND subject = ?`),
      // whom the user has resumed, without the claims
      [
        'executions.resumed_user',
        `UPDATE executions SET resumed_user = NULL WHERE ${jsonText('resumed_user', 'id')} = ?`,
      ],
    ] as const satisfies readonly Statement[],
  }
}

interface ErasureOptions {
  /** Removes what deletions leave where it can't be read any more. */
  readonly purge: ErasureStore['purge']
  /** Called with the ids of what was deleted. */
  readonly onCommitted: (ids: readonly string[]) => void
}

/** Deletion of records on request. */
export class SqlErasure implements ErasureStore {
  readonly purge: ErasureStore['purge']
  readonly #sql: Sql
  readonly #onCommitted: ErasureOptions['onCommitted']
  readonly #texts: ReturnType<typeof textsOf>

  constructor(sql: Sql, { purge, onCommitted }: ErasureOptions) {
    this.#sql = sql
    this.#texts = textsOf(sql.dialect)
    this.#onCommitted = onCommitted
    this.purge = purge
  }

  executions(ids: readonly string[]): Promise<ErasableRecord[]> {
    return this.#records(this.#texts.executions, [ids])
  }

  async parts(ids: readonly string[]): Promise<ErasableRecords> {
    return {
      executions: await this.#records(this.#texts.partExecutions, [ids]),
      runs: await this.#records(this.#texts.partRuns, [ids]),
    }
  }

  async ofUser(userId: string, limit: number): Promise<ErasableRecords> {
    const { executionsOfUser, runsOfUser } = this.#texts
    return {
      executions: await this.#records(executionsOfUser, [userId, JSON.stringify(userId), limit]),
      runs: await this.#records(runsOfUser, [userId, limit]),
    }
  }

  async delete({ executions, runs }: RecordIds): Promise<ErasedRows> {
    const { deleteRuns, deleteExecutions } = this.#texts
    const rows = await this.#sql.transaction(function* () {
      return addRows(yield* changed(deleteRuns, runs), yield* changed(deleteExecutions, executions))
    })
    this.#onCommitted([...executions, ...runs])
    return rows
  }

  deleteUser(userId: string): Promise<ErasedRows> {
    const { deleteOfUserKey, deleteOfUserId } = this.#texts
    return this.#sql.transaction(function* () {
      return addRows(
        yield* changed(deleteOfUserKey, JSON.stringify(userId)),
        yield* changed(deleteOfUserId, userId),
      )
    })
  }

  async #records(text: string, values: SqlParams): Promise<ErasableRecord[]> {
    const rows = await this.#sql.all<Omit<ErasableRecord, 'isOpen'> & { readonly isOpen: unknown }>(
      text,
      values,
    )
    return rows.map((row) => ({ ...row, isOpen: Boolean(row.isOpen) }))
  }
}

function* changed(statements: readonly Statement[], value: SqlParam): Transaction<ErasedRows> {
  let rows: ErasedRows = {}
  for (const [table, text] of statements) {
    const parameters = text.split('?').length - 1
    const deleted = yield* tx.run(text, Array<SqlParam>(parameters).fill(value))
    if (table !== '' && deleted > 0) rows = addRows(rows, { [table]: deleted })
  }
  return rows
}
