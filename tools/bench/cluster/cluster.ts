import { Cluster } from '../../../test/support/cluster/cluster.ts'
import { PostgresServer } from '../../../test/support/postgres/postgres-server.ts'
import type { Measurement } from '../report.ts'
import { commits, idle, rate } from './costs.ts'
import { spread, takeOver, wakes } from './deaths.ts'
import { outages } from './outages.ts'

/** Machines that share a Postgres, which is started for this with its default settings. */
export async function cluster(): Promise<Measurement[]> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 22 || (major === 22 && minor < 12)) {
    process.stderr.write(`skipped: Postgres needs Node 22.12, this is ${process.versions.node}\n`)
    return []
  }
  const postgres = await PostgresServer.launch({ fsync: 'on', full_page_writes: 'on' })
  const measurements: Measurement[] = []
  let schemas = 0
  const measure = async (
    measured: (cluster: Cluster, postgres: PostgresServer) => Promise<Measurement[]>,
  ) => {
    const machines = new Cluster(postgres.url, `bench${++schemas}`)
    try {
      measurements.push(...(await measured(machines, postgres)))
    } finally {
      await machines.end()
    }
  }
  try {
    for (const each of [takeOver, spread, wakes, outages, rate, commits, idle]) await measure(each)
  } finally {
    await postgres.remove()
  }
  return measurements
}
