import type { Client } from 'pg'

/**
 * Time of the newest record in a schema; `undefined` without records. Telemetry counts only without other records: a
 * start with a wrong clock writes it too.
 */
export async function newestRecordAt(client: Client, schema: string): Promise<number | undefined> {
  const newest = (table: string, column: string) => `(SELECT max(${column}) FROM ${schema}.${table})`
  const records = [
    newest('executions', 'created_at'),
    newest('executions', 'ended_at'),
    newest('agent_runs', 'ended_at'),
  ]
  const telemetry = [newest('traces', 'started_at'), newest('logs', 'id / 1024')]
  const { rows } = await client.query<{ at: number | null }>(
    `SELECT coalesce(greatest(${records.join(', ')}), greatest(${telemetry.join(', ')})) AS at`,
  )
  return rows[0]?.at ?? undefined
}
