import { expect, it } from 'vitest'
import type { Fault } from './plan.ts'
import { playRounds, type PlayOptions } from './play-rounds.ts'
import { EXIT, nothingToShrink, reportOf } from './verdict.ts'

interface Fake {
  /** The round whose requests nobody acknowledges. */
  readonly silent?: number
  /** The round whose server ends by itself. */
  readonly ends?: number
  readonly faults?: readonly Fault[]
}

/** Rounds without processes, and what was done with their servers. */
function play({ silent, ends, faults = [{ kind: 'kill', at: 0 }] }: Fake) {
  const done: string[] = []
  const effects: string[] = []
  let current = 0
  const end = async (how: string) => {
    if (current === ends) throw new Error('The server ended by itself:\nout of memory')
    done.push(`${how} ${current}`)
    return current
  }
  const options: PlayOptions = {
    acknowledgedMs: 20,
    client: {
      use: async (number) => void (current = number),
      stop: () => done.push(`stop ${current}`),
      acknowledgement: async () => current !== silent,
      poison: async (number) => void done.push(`poison ${number}`),
    },
    surround: async ({ kind }) => done.push(kind) > 0,
    onEffect: (kind) => effects.push(kind),
    save: () => done.push('save'),
    startServer: () => ({
      kill: () => end('kill'),
      terminate: (graceMs) => end(`terminate in ${graceMs}`),
      pause: async (forMs) => void done.push(`pause for ${forMs}`),
      poisoned: (graceMs) => end(`poisoned, in ${graceMs}`),
      limit: async (resource, forMs) => {
        done.push(`no ${resource} for ${forMs}`)
        return resource === 'files'
      },
      isAlive: () => true,
      mustHaveBeenEnded: () => undefined,
      onPoisoned: () => undefined,
      errors: () => 'database is locked',
    }),
    onEnd: (at) => void done.push(`note ${at}`),
  }
  const round = { since: 'acknowledgement', faults, starts: [], streams: [] } as const
  const rounds = Array.from({ length: 5 }, () => round)
  return { done, effects, result: playRounds({ rounds }, options) }
}

it('playRounds lets the faults of a round happen at their times, and disturbs no server that has ended', async () => {
  const { done, result } = play({
    faults: [
      { kind: 'pause', at: 5, forMs: 7 },
      { kind: 'reload', at: 20, times: 2, everyMs: 1 },
      { kind: 'reload', at: 60_000, times: 2, everyMs: 1 },
      { kind: 'terminate', at: 1000, graceMs: 9 },
    ],
  })
  await result
  expect(done.slice(0, 6)).toEqual(['pause for 7', 'save', 'save', 'terminate in 9 0', 'stop 0', 'note 0'])
})

it('playRounds limits a server, changes its surroundings and poisons it', async () => {
  const { done, effects, result } = play({
    faults: [
      { kind: 'full', at: 5, forMs: 7 },
      { kind: 'files', at: 15, forMs: 8 },
      { kind: 'missing', at: 25, forMs: 9 },
      { kind: 'cut', at: 35, forMs: 9 },
      { kind: 'poison', at: 1000, graceMs: 10 },
    ],
  })
  await result
  expect(done.slice(0, 6)).toEqual([
    'no full for 7',
    'no files for 8',
    'missing',
    'cut',
    'poison 0',
    'poisoned, in 10 0',
  ])
  expect(effects.slice(0, 3)).toEqual(['files', 'missing', 'cut'])
})

it('playRounds kills a server in each round', async () => {
  const { done, result } = play({})
  expect(await result).toEqual({ rounds: 5, timeouts: [], ended: [] })
  expect(done.filter((one) => one.startsWith('kill'))).toEqual([
    'kill 0',
    'kill 1',
    'kill 2',
    'kill 3',
    'kill 4',
  ])
})

it('playRounds keeps the rounds before one that is not acknowledged, and leaves no server running', async () => {
  const { done, result } = play({ silent: 3 })
  expect(await result).toEqual({
    rounds: 3,
    timeouts: ['round 3: no acknowledgement within 0.02 s; the server printed:\ndatabase is locked'],
    ended: [],
  })
  expect(done.slice(-3)).toEqual(['kill 3', 'stop 3', 'note 3'])
})

it('playRounds reports a server that ended by itself, with what it printed', async () => {
  const { done, result } = play({ ends: 2 })
  expect(await result).toEqual({
    rounds: 2,
    timeouts: [],
    ended: ['round 2: The server ended by itself:\nout of memory'],
  })
  expect(done.at(-1)).toBe('stop 2')
})

const plan = { planned: 40, repeat: (kept: string) => `npm run chaos -- --plan ${kept}/plan.json` }
const kept = '/tmp/x'
const KEPT = 'Database, logs and plan: /tmp/x\nRepeat with: npm run chaos -- --plan /tmp/x/plan.json\n'

it.each([
  [{ violations: [], timeouts: [], rounds: 40 }, EXIT.held, 'Everything held.\n'],
  [
    { violations: [], timeouts: ['round 35: silence'], rounds: 35, kept },
    EXIT.undecided,
    `harness timed out: round 35: silence\nUndecided: the harness timed out. No violations in 35 of 40 rounds\n${KEPT}`,
  ],
  [
    { violations: ['text-3: lost'], timeouts: ['round 35: silence'], rounds: 35, kept },
    EXIT.violated,
    `violation: text-3: lost\nharness timed out: round 35: silence\n1 violations in 35 of 40 rounds\n${KEPT}`,
  ],
])('reportOf tells violations and time-outs of the harness apart: %j', (verdict, exitCode, text) => {
  expect(reportOf(verdict, plan)).toEqual({ exitCode, text })
})

it('nothingToShrink is undecided after a time-out of the harness, and held otherwise', () => {
  expect(nothingToShrink({ timeouts: ['round 3: silence'] })).toEqual({
    exitCode: EXIT.undecided,
    text: 'harness timed out: round 3: silence\nUndecided: the harness timed out, without violations: nothing to shrink.\n',
  })
  expect(nothingToShrink(undefined).exitCode).toBe(EXIT.held)
})

it('has an exit code of its own for each verdict', () => {
  expect(new Set(Object.values(EXIT)).size).toBe(4)
})
