import { IS_LISTED } from '../../rows/executions/execution-columns.ts'
import { decidersIn, MAX_DECISIONS } from '../../search/deciders.ts'
import { MAX_STEP_ROWS, MAX_TEXT_CHARS } from '../../search/search-store.ts'
import type { SearchRecord } from '../../search/search-store.ts'
import { stepResults } from '../../search/step-results.ts'
import type { PostgresQueries } from '../connection/database.ts'
import { unescapeNul } from '../escape-nul.ts'

const shortened = (column: string, key: string) => `left(${column}, ${MAX_TEXT_CHARS}) AS "${key}"`

const STEPS = `SELECT jsonb_agg(j.steps) FROM (
  SELECT steps FROM journal WHERE execution = e.number AND octet_length(steps) < 65536 AND steps <> '[]'
  ORDER BY seq LIMIT ${MAX_STEP_ROWS}) j`

const RESUMES = `SELECT jsonb_agg(j.events) FROM (
  SELECT events FROM journal WHERE execution = e.number AND position('"workflow-resumed"' in events) > 0
  ORDER BY seq LIMIT ${MAX_DECISIONS}) j`

const DECISIONS = `SELECT jsonb_agg(a.decision) FROM (
  SELECT decision FROM agent_approvals WHERE run = agent_runs.number AND decision IS NOT NULL LIMIT ${MAX_DECISIONS}) a`

const EXECUTIONS = `SELECT 'execution' AS kind, e.number, e.id, workflow_id AS "subjectId", workflow_name AS "subjectName", status,
    created_at AS "createdAt", ended_at AS "endedAt", user_id AS "userId", conversation_id AS "conversationId",
    trace_id AS "traceId", parent_id AS "parentId", owner, ${shortened('p."user"', 'user')}, metadata, ${shortened('p.input', 'input')},
    ${shortened('output', 'output')}, ${shortened('error', 'error')}, ${shortened('suspension', 'detail')},
    (${STEPS}) AS steps, (${RESUMES}) AS decisions
  FROM executions e JOIN payloads p ON p.execution = e.number WHERE e.number = ANY ($1) AND ${IS_LISTED}`

const RUNS = `SELECT 'run' AS kind, number, id, agent_id AS "subjectId", agent_id AS "subjectName", status,
    started_at AS "createdAt", ended_at AS "endedAt", user_id AS "userId", conversation_id AS "conversationId",
    trace_id AS "traceId", parent_id AS "parentId", NULL AS owner, NULL AS "user", NULL AS metadata, ${shortened('input', 'input')},
    ${shortened('output', 'output')}, ${shortened('error', 'error')}, ${shortened('blocked_reason', 'detail')},
    ${shortened('steps', 'calls')}, (${DECISIONS}) AS decisions
  FROM agent_runs WHERE number = ANY ($1)`

type RecordRow = Omit<SearchRecord, 'steps' | 'deciders'> & {
  readonly decisions?: readonly string[] | null
  readonly calls?: string | null
  readonly steps?: readonly string[] | null
}

/** Reads the texts of executions and agent runs. */
export async function searchRecords(
  database: PostgresQueries,
  { executions, runs }: { readonly executions: readonly number[]; readonly runs: readonly number[] },
): Promise<SearchRecord[]> {
  const read = (name: string, text: string, numbers: readonly number[]) =>
    numbers.length === 0 ? [] : database.rows<RecordRow>({ name, text, values: [numbers] })
  const rows = [
    ...(await read('search-executions', EXECUTIONS, executions)),
    ...(await read('search-runs', RUNS, runs)),
  ]
  return rows.map(({ calls, steps, decisions, ...row }) => ({
    ...row,
    id: unescapeNul(row.id),
    subjectId: unescapeNul(row.subjectId),
    subjectName: unescapeNul(row.subjectName),
    userId: unescapeNul(row.userId),
    conversationId: unescapeNul(row.conversationId),
    steps: calls ? [calls] : (steps ?? []).flatMap((changes) => stepResults(changes)),
    deciders: decidersIn(decisions ?? []),
  }))
}
