import { IS_LISTED } from '../rows/executions/execution-columns.ts'
import { NOBODY } from '../queue-store.ts'
import type { RunningWork } from '../store.ts'
import type { PostgresQueries } from './connection/database.ts'

/** The workflows and agents that run on any machine. Executions that wait for a slot don't run. */
export async function runningWork(database: PostgresQueries): Promise<RunningWork> {
  const rows = await database.rows<{ kind: 'workflow' | 'agent'; id: string }>({
    name: 'running-work',
    text: `SELECT DISTINCT 'workflow' AS kind, workflow_id AS id FROM executions
        WHERE ended_at IS NULL AND status = 'running' AND ${IS_LISTED} AND owner_epoch <> ${NOBODY}
      UNION ALL SELECT DISTINCT 'agent', agent_id FROM agent_runs WHERE ended_at IS NULL AND status = 'running'`,
  })
  const of = (wanted: string) => new Set(rows.flatMap(({ kind, id }) => (kind === wanted ? [id] : [])))
  return { workflows: of('workflow'), agents: of('agent') }
}
