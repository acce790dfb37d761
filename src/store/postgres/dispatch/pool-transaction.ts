import type { Pool, PoolClient } from 'pg'

/** Within this time the database frees the rows of a process that is stopped within a transaction. */
const IDLE_MS = 5000

/** Commits when `work` resolves, and rolls back when it rejects. */
export async function inPoolTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  let broken = true
  try {
    await client.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}`)
    const result = await work(client)
    await client.query('COMMIT')
    broken = false
    return result
  } catch (error) {
    broken = await client.query('ROLLBACK').then(
      () => false,
      () => true,
    )
    throw error
  } finally {
    client.release(broken)
  }
}
