import { expect, it } from 'vitest'
import { Machines } from './machines.ts'
import type { Server } from './server.ts'

/** Machines without processes. */
function fakes(count: number) {
  const started: number[] = []
  const alive = new Set<number>()
  const poisoned: (() => void)[] = []
  /** Those that end by themselves. */
  const failed = new Set<number>()
  const machines = new Machines(count, (machine) => {
    started.push(machine)
    alive.add(machine)
    const server: Server = {
      kill: async () => Number(alive.delete(machine)),
      terminate: async () => Number(alive.delete(machine)),
      pause: async () => expect(machines.answering).not.toContain(machine),
      poisoned: async () => 0,
      limit: async () => false,
      isAlive: () => alive.has(machine),
      mustHaveBeenEnded: () => {
        if (failed.has(machine)) throw new Error('out of memory')
      },
      onPoisoned: (callback) => void (poisoned[machine] = () => callback(5)),
      errors: () => '',
    }
    return server
  })
  return { machines, started, alive, poisoned, failed }
}

const round = (machine: number) =>
  ({ since: 'acknowledgement', faults: [{ kind: 'kill', at: 0 }], starts: [], streams: [], machine }) as const

it('Machines starts those that have ended in each round, and no other', async () => {
  const { machines, started } = fakes(3)
  await machines.start(round(1)).kill()
  expect(machines.answering).toEqual([0, 2])
  machines.start(round(0))
  expect(started).toEqual([0, 1, 2, 1])
})

it('Machines has no paused one among those that answer', async () => {
  const { machines } = fakes(2)
  machines.start(round(0))
  await machines.get(1).pause(10)
  expect(machines.answering).toEqual([0, 1])
})

it('Machines reports one that has ended by itself beside that of the round', () => {
  const { machines, alive, failed } = fakes(2)
  machines.start(round(0))
  failed.add(1)
  alive.delete(1)
  machines.start(round(0))
  expect(machines.ended).toEqual(['machine 1: out of memory'])
})

it('Machines starts one again that a poison has ended at last, but none that was killed', async () => {
  const { machines, started, poisoned } = fakes(1)
  const ends: [number, number][] = []
  machines.startLast((machine, at) => void ends.push([machine, at]))
  poisoned[0]?.()
  expect({ started, ends }).toEqual({ started: [0, 0], ends: [[0, 5]] })
  await machines.kill()
  poisoned[0]?.()
  expect(started).toEqual([0, 0])
})
