import { IS_LISTED } from '../../rows/executions/execution-columns.ts'
import { decidersIn, MAX_DECISIONS } from '../../search/deciders.ts'
import { MAX_STEP_ROWS, MAX_TEXT_CHARS } from '../../search/search-store.ts'
import type { SearchRecord } from '../../search/search-store.ts'
import { stepResults } from '../../search/step-results.ts'
import type { Database, Statement } from '../driver.ts'

const shortened = (column: string, key: string) => `substr(${column}, 1, ${MAX_TEXT_CHARS}) AS ${key}`

const EXECUTIONS = `SELECT 'execution' AS kind, e.number, e.id, workflow_id AS subjectId, workflow_name AS subjectName, status,
    created_at AS createdAt, ended_at AS endedAt, user_id AS userId, conversation_id AS conversationId,
    trace_id AS traceId, parent_id AS parentId, owner, ${shortened('p.user', 'user')}, metadata, ${shortened('p.input', 'input')},
    ${shortened('output', 'output')}, ${shortened('error', 'error')}, ${shortened('suspension', 'detail')}
  FROM executions e JOIN payloads p ON p.execution = e.number WHERE e.number IN (SELECT value FROM json_each(?)) AND ${IS_LISTED}`

const RUNS = `SELECT 'run' AS kind, number, id, agent_id AS subjectId, agent_id AS subjectName, status,
    started_at AS createdAt, ended_at AS endedAt, user_id AS userId, conversation_id AS conversationId,
    trace_id AS traceId, parent_id AS parentId, NULL AS owner, NULL AS user, NULL AS metadata, ${shortened('input', 'input')},
    ${shortened('output', 'output')}, ${shortened('error', 'error')}, ${shortened('blocked_reason', 'detail')},
    ${shortened('steps', 'calls')},
    (SELECT json_group_array(decision) FROM (SELECT decision FROM agent_approvals
      WHERE run = agent_runs.number AND decision IS NOT NULL LIMIT ${MAX_DECISIONS})) AS decisions
  FROM agent_runs WHERE number IN (SELECT value FROM json_each(?))`

type RecordRow = Omit<SearchRecord, 'steps' | 'deciders'> & {
  readonly calls?: string | null
  readonly decisions?: string
}

/** Reads the texts of executions and agent runs. */
export class SearchRecords {
  readonly #executions: Statement
  readonly #runs: Statement
  readonly #steps: Statement
  readonly #resumes: Statement

  constructor(database: Database) {
    this.#executions = database.prepare(EXECUTIONS)
    this.#runs = database.prepare(RUNS)
    this.#steps = database.prepare(
      `SELECT steps FROM journal WHERE execution = ? AND length(steps) < 65536 ORDER BY seq LIMIT ${MAX_STEP_ROWS}`,
    )
    this.#resumes = database.prepare(
      `SELECT events FROM journal WHERE execution = ? AND instr(events, '"workflow-resumed"') > 0
       ORDER BY seq LIMIT ${MAX_DECISIONS}`,
    )
  }

  executions(numbers: readonly number[]): SearchRecord[] {
    const rows = this.#executions.all(JSON.stringify(numbers)) as RecordRow[]
    return rows.map((row) => ({
      ...row,
      steps: this.#resultsOf(row.number),
      deciders: this.#resumersOf(row.number),
    }))
  }

  runs(numbers: readonly number[]): SearchRecord[] {
    const rows = this.#runs.all(JSON.stringify(numbers)) as RecordRow[]
    return rows.map(({ calls, decisions = '[]', ...row }) => ({
      ...row,
      steps: calls ? [calls] : [],
      deciders: decidersIn(JSON.parse(decisions) as string[]),
    }))
  }

  #resumersOf(execution: number): string[] {
    const rows = this.#resumes.all(execution) as { events: string }[]
    return decidersIn(rows.map(({ events }) => events))
  }

  #resultsOf(execution: number): string[] {
    return (this.#steps.all(execution) as { steps: string }[]).flatMap(({ steps }) => stepResults(steps))
  }
}
