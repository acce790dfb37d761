import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import type { Cluster } from '../../../test/support/cluster/cluster.ts'
import type { Machine } from '../../../test/support/cluster/machine.ts'
import type { PostgresServer } from '../../../test/support/postgres/postgres-server.ts'
import { load, ratio } from '../load.ts'
import { processorTimeOf, startServer } from '../process.ts'
import { TRIVIAL, makeProject, removeProject } from '../project.ts'
import type { Measurement } from '../report.ts'

const BODY = { input: { orderId: 'A-1', amount: 12 } }

/** Three steps on Postgres, over the same on SQLite. */
export async function rate(cluster: Cluster): Promise<Measurement[]> {
  const root = makeProject(TRIVIAL)
  const sqlite = await startServer('start', { cwd: root })
  const machine = await cluster.startOne('a')
  try {
    const measurements: Measurement[] = []
    for (const connections of [1, 16, 64]) {
      const on = (url: string, id: string) => ({
        url: `${url}/workflows/${id}/execute`,
        body: BODY,
        connections,
      })
      const measured = await ratio(on(machine.server.url, 'three'), on(sqlite.url, 'trivial'))
      measurements.push({
        name: `execute 3 steps, C=${connections}, over SQLite`,
        measured: measured.ratio,
        unit: '',
        ...(connections === 64 && { bar: { atLeast: 0.12 } }),
        note: `${Math.round(measured.ours)}/s against ${Math.round(measured.theirs)}/s, ${measured.failed} failed`,
      })
    }
    return measurements
  } finally {
    await sqlite.stop()
    removeProject(root)
  }
}

/** Transactions of Postgres for each execution of three steps. */
export async function commits(cluster: Cluster, postgres: PostgresServer): Promise<Measurement[]> {
  const machine = await cluster.startOne('a')
  const url = `${machine.server.url}/workflows/three/execute`
  await load({ url, body: BODY, connections: 16, amount: 500 })
  const measurements: Measurement[] = []
  for (const [connections, amount] of [
    [1, 500],
    [16, 5000],
    [64, 10_000],
  ] as const) {
    const before = await transactions(postgres)
    const { total } = await load({ url, body: BODY, connections, amount })
    measurements.push({
      name: `commits for each execution of 3 steps, C=${connections}`,
      measured: ((await transactions(postgres)) - before) / total,
      unit: '',
      ...(connections === 16 && { bar: { atMost: 0.5 } }),
      note: 'with those of life signs and telemetry',
    })
  }
  return measurements
}

/** A machine that has nothing to do. */
export async function idle(cluster: Cluster, postgres: PostgresServer): Promise<Measurement[]> {
  const machine = await cluster.startOne('a')
  await wait(3000)
  const before = { time: processorTime(machine), transactions: await transactions(postgres) }
  await wait(20_000)
  return [
    {
      name: 'idle machine, processor time',
      measured: (processorTime(machine) - before.time) / 20,
      unit: 'ms/s',
      bar: { atMost: 25 },
    },
    {
      name: '… commits',
      measured: ((await transactions(postgres)) - before.transactions) / 20,
      unit: '/s',
    },
  ]
}

function processorTime({ server }: Machine): number {
  return processorTimeOf({ child: { pid: server.pid } })
}

/** Postgres counts a second later. */
async function transactions({ url }: PostgresServer): Promise<number> {
  await wait(1200)
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ count: string }>(
    'SELECT sum(xact_commit) AS count FROM pg_stat_database',
  )
  await client.end()
  return Number(rows[0]?.count)
}
