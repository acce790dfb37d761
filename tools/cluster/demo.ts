import { setTimeout as wait } from 'node:timers/promises'
import { Cluster } from '../../test/support/cluster/cluster.ts'
import { PostgresServer } from '../../test/support/postgres/postgres-server.ts'

const RUNS = 100

/** `npm run demo:cluster`: three machines on one Postgres, one of which is killed during a hundred executions. */
export async function main(args: readonly string[]): Promise<void> {
  const given = process.env['DATABASE_URL']
  const postgres = given === undefined ? await PostgresServer.launch() : undefined
  const cluster = new Cluster(given ?? postgres?.url ?? '', `demo_${process.pid}`)
  const end = async () => {
    await cluster.end()
    await postgres?.remove()
  }
  const interrupted = new Promise<void>((resolve) => void process.once('SIGINT', resolve))
  try {
    await run(cluster)
    if (args.includes('--exit')) return
    print('Press Ctrl+C to stop.')
    await interrupted
  } finally {
    await end()
  }
}

async function run(cluster: Cluster): Promise<void> {
  const machines = await cluster.start('a', 'b', 'c')
  const [a, b, c] = machines
  if (!a || !b || !c) throw new Error('three machines were started')
  for (const { name, server } of machines) print(`machine ${name}  ${server.url}  process ${server.pid}`)

  const ids = (await Promise.all([a.start('long', 34), b.start('long', 33), c.start('long', 33)])).flat()
  print(`${RUNS} executions of ten steps of 200 ms: 34 on a, 33 on b, 33 on c`)
  await wait(700)
  const killedAt = await a.kill()
  print('kill -9 of machine a')

  const completed = b.reached('completed', 'long', ids)
  await completed
  const seconds = (performance.timeOrigin + performance.now() - killedAt) / 1000
  const takenOver = [...cluster.notes.takenOverAfter(killedAt, ids.slice(0, 34), 'a').values()]
  const byMachine = cluster.notes.executionsByMachine(ids.slice(0, 34))
  print(
    `${takenOver.length} executions of a were taken over after ${Math.round(Math.min(...takenOver))} to ${Math.round(Math.max(...takenOver))} ms: ${byMachine.get('b') ?? 0} by b, ${byMachine.get('c') ?? 0} by c`,
  )
  print(`all ${ids.length} completed, ${seconds.toFixed(1)} s after the kill`)
  print(
    `steps that were running at the kill, and ran again: ${cluster.notes.begunTwice(ids).length} of ${RUNS * 10}`,
  )
  print(`console of machine b: ${new URL('/console/executions', b.server.url).href}`)
  print(`machines, as b sees them: ${new URL('/console/machines', b.server.url).href}`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
