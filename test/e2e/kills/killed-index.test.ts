import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../../../src/store/sqlite/driver.ts'
import { CliProject } from '../../support/project/cli-project.ts'
import type { RunningServer } from '../../support/project/cli-project.ts'

/** Executions in each life of the server. */
const EXECUTIONS = 160
const LIVES = 3
const TRIES = 5

describe('the search index of a killed process', () => {
  let project: CliProject

  beforeEach(() => {
    project = new CliProject()
  })
  afterEach(() => project.end())

  it('has every finished execution after a restart, however far it was', async () => {
    const finished: string[] = []
    let interrupted = 0
    for (let life = 0; life < LIVES || (interrupted === 0 && life < LIVES + TRIES); life++) {
      const server = await project.serve('dev')
      await Promise.all(
        Array.from({ length: EXECUTIONS }, async (_, index) => {
          const orderId = `life${life}order${index}`
          if (await execute(server, orderId)) finished.push(orderId)
        }),
      )
      await server.kill('SIGKILL')
      const { indexed, stored } = countIn(project.path('.agentserver/data.db'))
      if (indexed > 0 && indexed < stored) interrupted++
    }
    expect(interrupted).toBeGreaterThan(0)
    expect(finished.length).toBeGreaterThanOrEqual(EXECUTIONS * LIVES)
    const server = await project.serve('dev')
    const missing = async () => {
      const found = await Promise.all(finished.map((orderId) => isFound(server, orderId)))
      return finished.filter((_, index) => found[index] !== true)
    }
    await expect.poll(missing, { timeout: 60_000 }).toEqual([])
    const { indexed, stored } = countIn(project.path('.agentserver/data.db'))
    expect(indexed).toBe(stored)
  })
})

async function execute({ url }: RunningServer, orderId: string): Promise<boolean> {
  const response = await fetch(new URL('/workflows/order/execute', url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ input: { orderId } }),
  })
  return response.ok
}

/** Whether a search finds the completed execution, and it only. */
async function isFound({ url }: RunningServer, orderId: string): Promise<boolean> {
  const q = encodeURIComponent(`status:completed "${orderId}"`)
  const response = await fetch(new URL(`/observability/search?q=${q}`, url))
  const { data } = (await response.json()) as { data: readonly unknown[] }
  return data.length === 1
}

/** The executions in the index, and all of them. */
function countIn(file: string): { readonly indexed: number; readonly stored: number } {
  const database = openDatabase(file)
  try {
    const count = (sql: string) => (database.prepare(sql).get() as { total: number }).total
    return {
      indexed: count('SELECT count(*) AS total FROM search_documents WHERE kind = 0'),
      stored: count('SELECT count(*) AS total FROM executions'),
    }
  } finally {
    database.close()
  }
}
