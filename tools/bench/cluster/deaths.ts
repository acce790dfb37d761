import type { Cluster } from '../../../test/support/cluster/cluster.ts'
import type { Machine } from '../../../test/support/cluster/machine.ts'
import { until } from '../../../test/support/until.ts'
import { median } from '../report.ts'
import type { Measurement } from '../report.ts'

const ROUNDS = 5
const EXECUTIONS = 8

/** `kill -9` and SIGTERM: how long the executions of a machine stand still until another one continues them. */
export async function takeOver(cluster: Cluster): Promise<Measurement[]> {
  let [owner] = await cluster.start('m0')
  let machines = 0
  let recordedTwice = 0
  let gaps = 0
  const round = async (end: (machine: Machine) => Promise<unknown>) => {
    const [other] = await cluster.start(`m${++machines}`)
    const ids = await owner!.start('long', EXECUTIONS)
    const followers = ids.map((id) => other!.follow('long', id))
    await Promise.all(followers.map((follower) => follower.received(6)))
    const endedAt = performance.timeOrigin + performance.now()
    const { name } = owner!
    await Promise.all([end(owner!), other!.reached('completed', 'long', ids)])
    for (const follower of followers) {
      await follower.ended
      recordedTwice += follower.recordedTwice(cluster.notes).length
      gaps += follower.ids.filter((id, index) => id !== index + 1).length
    }
    owner = other
    return [...cluster.notes.takenOverAfter(endedAt, ids, name).values()]
  }
  const killed: number[] = []
  const stopped: number[] = []
  for (let n = 0; n < ROUNDS; n++) {
    killed.push(...(await round((machine) => machine.kill())))
    stopped.push(...(await round((machine) => machine.stop())))
  }
  return [
    { name: 'take-over after kill -9, p50', measured: median(killed), unit: 'ms' },
    { name: '… slowest', measured: Math.max(...killed), unit: 'ms', bar: { atMost: 4000 } },
    { name: 'hand-over after SIGTERM, p50', measured: median(stopped), unit: 'ms' },
    { name: '… slowest', measured: Math.max(...stopped), unit: 'ms', bar: { atMost: 500 } },
    {
      name: `… executions not continued, of ${2 * ROUNDS * EXECUTIONS}`,
      measured: 2 * ROUNDS * EXECUTIONS - killed.length - stopped.length,
      unit: '',
      bar: { atMost: 0 },
    },
    { name: '… recorded steps run twice', measured: recordedTwice, unit: '', bar: { atMost: 0 } },
    { name: '… gaps in event streams', measured: gaps, unit: '', bar: { atMost: 0 } },
  ]
}

/** 300 executions of a dead machine on three others. */
export async function spread(cluster: Cluster): Promise<Measurement[]> {
  const others = ['b', 'c', 'd']
  const [owner] = await cluster.start('a', ...others)
  const ids = await owner!.start('holds', 300)
  const killedAt = await owner!.kill()
  const takenOver = () => cluster.notes.takenOverAfter(killedAt, ids, 'a')
  await until(
    () => takenOver().size === 300,
    () => `300 executions, ${takenOver().size} taken over`,
  )
  const counts = others.map((name) => cluster.notes.executionsByMachine(ids).get(name) ?? 0)
  return [
    {
      name: '300 executions of a dead machine on three: the most uneven share',
      measured: Math.max(...counts.map((count) => Math.abs(count - 100))),
      unit: '%',
      bar: { atMost: 20 },
      note: `${counts.join(' / ')}, the last after ${Math.round(Math.max(...takenOver().values()))} ms`,
    },
  ]
}

/** A retry that is due in six seconds, on its machine, and after that machine was killed. */
export async function wakes(cluster: Cluster): Promise<Measurement[]> {
  const [a, b] = await cluster.start('a', 'b')
  const here = await b!.start('patient', 20)
  const there = await a!.start('patient', 20)
  const begun = (ids: readonly string[]) => cluster.notes.begun(ids)
  await until(() => begun([...here, ...there]).length === 40, 'the first attempts')
  await a!.kill()
  await b!.reached('completed', 'patient', [...here, ...there])
  const lateness = (ids: readonly string[]) =>
    ids.map((id) => {
      const [first, second] = begun([id])
      return (second?.at ?? Number.NaN) - (first?.at ?? Number.NaN) - 6000
    })
  return [
    {
      name: 'wake on its machine: late by at most',
      measured: Math.max(...lateness(here)),
      unit: 'ms',
      bar: { atMost: 1000 },
    },
    {
      name: 'wake of a dead machine: late by at most',
      measured: Math.max(...lateness(there)),
      unit: 'ms',
      bar: { atMost: 1000 },
    },
  ]
}
