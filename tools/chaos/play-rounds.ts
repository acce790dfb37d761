import { setTimeout as wait } from 'node:timers/promises'
import { messageOf } from '../../src/lib/errors.ts'
import type { Fault, Plan, Round } from './plan.ts'
import type { Server } from './server.ts'

/** Uses the server that the faults happen to. */
export interface RoundClient {
  /** Starts what the round starts, and uses the server until `stop`. */
  use(number: number, round: Round): Promise<void>
  stop(): void
  /** Waits until the server has acknowledged another request. `false` after `ms`. */
  acknowledgement(ms: number): Promise<boolean>
}

export interface PlayOptions {
  readonly client: RoundClient
  readonly startServer: (round: Round) => Server
  /** Saves the configuration of the project, changed. */
  readonly save: () => void
  /** How long a round waits for an acknowledgement, in milliseconds. Default: a minute. */
  readonly acknowledgedMs?: number | undefined
  readonly onRound?: ((number: number) => void) | undefined
  /** Called with the time at which a server has ended, when nothing uses it any more. */
  readonly onEnd: (at: number) => void | Promise<void>
}

/** What became of the rounds. */
export interface PlayedRounds {
  /** The rounds that went as planned. */
  readonly rounds: number
  /** What the harness waited for in vain, one line each: no verdict about the server. */
  readonly timeouts: readonly string[]
  /** Servers that ended by themselves, one line each. */
  readonly ended: readonly string[]
}

const ACKNOWLEDGED_MS = 60_000

/** Starts a server, uses it and lets its faults happen, round by round. A round in which that is not possible is the last. */
export async function playRounds(
  { rounds }: Pick<Plan, 'rounds'>,
  options: PlayOptions,
): Promise<PlayedRounds> {
  const { client, acknowledgedMs = ACKNOWLEDGED_MS } = options
  for (const [number, round] of rounds.entries()) {
    options.onRound?.(number)
    const server = options.startServer(round)
    const using = client.use(number, round)
    const isAcknowledged = round.since === 'start' || (await client.acknowledgement(acknowledgedMs))
    const faults = isAcknowledged ? round.faults : [KILL]
    const ended = await suffer(server, { ...options, faults }).catch((error: unknown) => error)
    client.stop()
    await using
    if (typeof ended !== 'number')
      return { rounds: number, timeouts: [], ended: [`round ${number}: ${messageOf(ended)}`] }
    await options.onEnd(ended)
    if (isAcknowledged) continue
    const timeout = `round ${number}: no acknowledgement within ${acknowledgedMs / 1000} s${output(server)}`
    return { rounds: number, timeouts: [timeout], ended: [] }
  }
  return { rounds: rounds.length, timeouts: [], ended: [] }
}

const KILL: Fault = { kind: 'kill', at: 0 }

interface Suffering extends Pick<PlayOptions, 'save'> {
  readonly faults: readonly Fault[]
}

/** Lets all faults happen at their times, and returns the time of the end. */
async function suffer(server: Server, { faults, save }: Suffering): Promise<number> {
  const life = new AbortController()
  const disturbances = faults.map((fault) => disturb(server, fault, { save, signal: life.signal }))
  const last = faults.at(-1) ?? KILL
  await wait(last.at)
  try {
    return await (last.kind === 'terminate' ? server.terminate(last.graceMs) : server.kill())
  } finally {
    life.abort()
    await Promise.allSettled(disturbances)
  }
}

/** Lets a fault happen that the process survives. Rejects when the process has ended before. */
async function disturb(
  server: Server,
  fault: Fault,
  { save, signal }: Pick<PlayOptions, 'save'> & { readonly signal: AbortSignal },
): Promise<void> {
  if (fault.kind !== 'pause' && fault.kind !== 'reload') return
  await wait(fault.at, undefined, { signal })
  if (fault.kind === 'pause') return server.pause(fault.forMs)
  for (let saved = 0; saved < fault.times; saved++) {
    save()
    await wait(fault.everyMs, undefined, { signal })
  }
}

function output(server: Server): string {
  const text = server.errors().trim()
  return text === '' ? '' : `; the server printed:\n${text}`
}
