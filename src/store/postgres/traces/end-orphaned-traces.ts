import type { PostgresTraceDeps } from './trace-reader.ts'

/** Ends traces in the processes that have died. One that runs nowhere any more has failed, unless it ended elsewhere. */
export async function endOrphanedTraces({
  database,
  ownerEpoch,
  aliveEpochs,
}: PostgresTraceDeps): Promise<number> {
  const owners = await database.rows<{ ownerEpoch: number }>({
    text: `SELECT DISTINCT unnest(open_on) AS "ownerEpoch" FROM traces WHERE status = 'running' AND status <> 'ok'`,
  })
  // read after the owners: one of them that has just started is among them
  const alive = new Set([ownerEpoch, ...(await aliveEpochs())])
  const dead = owners.map((owner) => owner.ownerEpoch).filter((epoch) => !alive.has(epoch))
  if (dead.length === 0) return 0
  const left = 'ARRAY(SELECT epoch FROM unnest(open_on) AS epoch WHERE epoch <> ALL ($1::bigint[]))'
  const rows = await database.rows<{ status: string }>({
    text: `UPDATE traces SET open_on = ${left},
        status = CASE WHEN ${left} <> '{}' THEN 'running' ELSE coalesce(outcome, 'error') END,
        outcome = CASE WHEN ${left} <> '{}' THEN outcome END
      WHERE status = 'running' AND status <> 'ok' AND open_on && $1::bigint[] RETURNING status`,
    values: [dead],
  })
  return rows.filter(({ status }) => status === 'error').length
}
