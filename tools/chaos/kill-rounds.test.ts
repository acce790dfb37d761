import { expect, it } from 'vitest'
import { killRounds, type KillRoundsOptions } from './kill-rounds.ts'
import { EXIT, reportOf } from './verdict.ts'

interface Fake {
  /** The round whose requests nobody acknowledges. */
  readonly silent?: number
  /** The round whose server ends by itself. */
  readonly ends?: number
}

/** Rounds without processes, and what was done with their servers. */
function rounds({ silent, ends }: Fake) {
  const done: string[] = []
  let current = 0
  const options: KillRoundsOptions = {
    rounds: 5,
    random: () => 0.5,
    maxLifeMs: 0,
    killedInStart: 0,
    acknowledgedMs: 20,
    client: {
      use: async (round) => void (current = round),
      stop: () => done.push(`stop ${current}`),
      acknowledgement: async () => current !== silent,
    },
    startServer: () => ({
      kill: async () => {
        if (current === ends) throw new Error('The server ended by itself:\nout of memory')
        done.push(`kill ${current}`)
        return current
      },
      errors: () => 'database is locked',
    }),
    onKill: (at) => void done.push(`note ${at}`),
  }
  return { done, result: killRounds(options) }
}

it('killRounds kills a server in each round', async () => {
  const { done, result } = rounds({})
  expect(await result).toEqual({ rounds: 5, timeouts: [], ended: [] })
  expect(done.filter((one) => one.startsWith('kill'))).toEqual([
    'kill 0',
    'kill 1',
    'kill 2',
    'kill 3',
    'kill 4',
  ])
})

it('killRounds keeps the rounds before one that is not acknowledged, and leaves no server running', async () => {
  const { done, result } = rounds({ silent: 3 })
  expect(await result).toEqual({
    rounds: 3,
    timeouts: ['round 3: no acknowledgement within 0.02 s; the server printed:\ndatabase is locked'],
    ended: [],
  })
  expect(done.slice(-3)).toEqual(['kill 3', 'stop 3', 'note 3'])
})

it('killRounds reports a server that ended by itself, with what it printed', async () => {
  const { done, result } = rounds({ ends: 2 })
  expect(await result).toEqual({
    rounds: 2,
    timeouts: [],
    ended: ['round 2: The server ended by itself:\nout of memory'],
  })
  expect(done.at(-1)).toBe('stop 2')
})

const plan = { seed: 7, planned: 40, command: 'npm run chaos -- agents' }

it.each([
  [{ violations: [], timeouts: [], rounds: 40 }, EXIT.held, 'Everything held.\n'],
  [
    { violations: [], timeouts: ['round 35: silence'], rounds: 35, kept: '/tmp/x' },
    EXIT.undecided,
    'harness timed out: round 35: silence\nUndecided: the harness timed out. No violations in 35 of 40 rounds\nDatabase and logs: /tmp/x\nRepeat with: npm run chaos -- agents 7 40\n',
  ],
  [
    { violations: ['text-3: lost'], timeouts: ['round 35: silence'], rounds: 35 },
    EXIT.violated,
    'violation: text-3: lost\nharness timed out: round 35: silence\n1 violations in 35 of 40 rounds\nRepeat with: npm run chaos -- agents 7 40\n',
  ],
])('reportOf tells violations and time-outs of the harness apart: %j', (verdict, exitCode, text) => {
  expect(reportOf(verdict, plan)).toEqual({ exitCode, text })
})

it('has an exit code of its own for each verdict', () => {
  expect(new Set(Object.values(EXIT)).size).toBe(4)
})
