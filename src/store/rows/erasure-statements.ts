import { IS_LISTED } from './executions/execution-columns.ts'

/** A change, and the name of the table in which it deletes rows. */
export type ErasureStatement = readonly [table: string, sql: string]

/** In what the databases differ. */
export interface ErasureDialect {
  /** Selects the ids in the first parameter. */
  readonly ids: string
  /** The first and the second parameter. */
  readonly parameters: readonly [first: string, second: string]
  /** The condition for the search documents of executions or runs with these numbers. */
  readonly documentsOf: (kind: 'execution' | 'run', numbers: string) => string
  /** The member of JSON in a column, as text. */
  readonly member: (column: string, path: readonly string[]) => string
  /** Statements before the executions themselves are deleted. */
  readonly ofExecutions: readonly ErasureStatement[]
}

const RECORD = `id, trace_id AS "traceId", ended_at IS NULL AS "isOpen"`

/** Statements on executions and agent runs, whose parameter has the ids, and on a user, whose parameters are key and id. */
export function erasureStatements(dialect: ErasureDialect) {
  const { ids, parameters, documentsOf, member, ofExecutions } = dialect
  const [key, id] = parameters
  const isNamed = `id IN (${ids})`
  const executions = `SELECT number FROM executions WHERE ${isNamed}`
  const runs = `SELECT number FROM agent_runs WHERE ${isNamed}`
  const conversations = `SELECT number FROM conversations WHERE user_key = ${key} OR owner = ${key}`
  const taken = (condition: string) =>
    `EXISTS (SELECT 1 FROM event_takes t WHERE t.event_id = events.id AND t.execution_id ${condition} (${ids}))`
  const of = (table: string, column: string, selection: string): ErasureStatement => [
    table,
    `DELETE FROM ${table} WHERE ${column} IN (${selection})`,
  ]
  const ofBudgets = (per: 'run' | 'user', subjects: string): ErasureStatement => [
    'budget_hours',
    `DELETE FROM budget_hours WHERE per = '${per}' AND subject IN (${subjects})`,
  ]
  // an event that another execution took, too, is part of the other's record
  const takenAlone: ErasureStatement = [
    'events',
    `DELETE FROM events WHERE ${taken('IN')} AND NOT ${taken('NOT IN')}`,
  ]
  return {
    executions: `SELECT ${RECORD} FROM executions WHERE ${isNamed}`,
    partExecutions: `SELECT ${RECORD} FROM executions WHERE parent_id IN (${ids})`,
    partRuns: `SELECT ${RECORD} FROM agent_runs WHERE parent_id IN (${ids})`,
    executionsOfUser: `SELECT ${RECORD} FROM executions WHERE ${IS_LISTED} AND (user_id = ${id} OR owner = ${key}) ORDER BY number LIMIT `,
    runsOfUser: `SELECT ${RECORD} FROM agent_runs WHERE user_id = ${key} ORDER BY number LIMIT `,
    deleteExecutions: [
      ['search_documents', `DELETE FROM search_documents WHERE ${documentsOf('execution', executions)}`],
      takenAlone,
      of('event_takes', 'execution_id', ids),
      of('waits', 'execution_id', ids),
      of('queue', 'execution_id', ids),
      of('queue_starts', 'execution_id', ids),
      ...ofExecutions,
      of('journal', 'execution', executions),
      of('payloads', 'execution', executions),
      of('execution_usage', 'execution', executions),
      of('step_models', 'execution', executions),
      ofBudgets('run', ids),
      of('executions', 'id', ids),
    ] satisfies ErasureStatement[],
    deleteRuns: [
      ['search_documents', `DELETE FROM search_documents WHERE ${documentsOf('run', runs)}`],
      of('search_changes', 'run', runs),
      // the execution of an answer, which is deleted with it, has its id
      takenAlone,
      of('agent_parts', 'run', runs),
      of('agent_approvals', 'run', runs),
      ofBudgets('run', ids),
      of('agent_runs', 'id', ids),
    ] satisfies ErasureStatement[],
    deleteOfUserKey: [
      of('messages', 'conversation', conversations),
      of('conversations', 'number', conversations),
      ['working_memory', `DELETE FROM working_memory WHERE user_key = ${key} OR owner = ${key}`],
    ] satisfies ErasureStatement[],
    deleteOfUserId: [
      ['events', `DELETE FROM events WHERE ${member('sender', ['user', 'id'])} = ${key}`],
      ofBudgets('user', key),
      // whom the user has resumed, without the claims
      [
        'executions.resumed_user',
        `UPDATE executions SET resumed_user = NULL WHERE ${member('resumed_user', ['id'])} = ${key}`,
      ],
    ] satisfies ErasureStatement[],
  }
}
