import { setTimeout as wait } from 'node:timers/promises'
import { messageOf } from '../../src/lib/errors.ts'
import type { Outage } from './notes.ts'
import { ENDING, type Fault, type Plan, type Round } from './plan.ts'
import type { Server } from './server.ts'

/** Uses the server that the faults happen to. */
export interface RoundClient {
  /** Starts what the round starts, and uses the server until `stop`. */
  use(number: number, round: Round): Promise<void>
  stop(): void
  /** Starts what ends the process. */
  poison?(number: number): Promise<void>
  /** Waits until the server has acknowledged another request. `false` after `ms`. */
  acknowledgement(ms: number): Promise<boolean>
}

export interface PlayOptions {
  readonly client: RoundClient
  readonly startServer: (round: Round) => Server
  /** Another machine than that of the round. */
  readonly machine?: ((number: number) => Server) | undefined
  /** Saves the configuration of the project, changed. */
  readonly save: () => void
  /**
   * Lets a fault of the surroundings of the process happen, until the signal at the latest. Returns whether it is known to
   * have taken effect.
   */
  readonly surround?: ((fault: Fault, signal: AbortSignal) => Promise<boolean>) | undefined
  /** Called when a fault has taken effect, as far as that is seen when it happens. */
  readonly onEffect?: ((kind: Fault['kind']) => void) | undefined
  /** Called when nothing could be recorded for a time, with its beginning and end. */
  readonly onOutage?: ((outage: Outage) => void) | undefined
  /** How long a round waits for an acknowledgement, in milliseconds. Default: a minute. */
  readonly acknowledgedMs?: number | undefined
  readonly onRound?: ((number: number) => void) | undefined
  /** Called with the time at which a server has ended, when nothing uses it any more, and its round. */
  readonly onEnd: (at: number, round: Round, number: number) => void | Promise<void>
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
    // an execution of an earlier round may end it before it acknowledges anything
    const poisoned = new Promise<true>((resolve) => server.onPoisoned(() => resolve(true)))
    void poisoned.then(() => options.onEffect?.('poison'))
    const isAcknowledged =
      round.since === 'start' || (await Promise.race([client.acknowledgement(acknowledgedMs), poisoned]))
    const faults = isAcknowledged ? round.faults : [KILL]
    const poison = () => client.poison?.(number)
    const ended = await suffer(server, { ...options, faults, poison }).catch((error: unknown) => error)
    client.stop()
    await using
    if (typeof ended !== 'number')
      return { rounds: number, timeouts: [], ended: [`round ${number}: ${messageOf(ended)}`] }
    await options.onEnd(ended, round, number)
    if (isAcknowledged) continue
    const timeout = `round ${number}: no acknowledgement within ${acknowledgedMs / 1000} s${output(server)}`
    return { rounds: number, timeouts: [timeout], ended: [] }
  }
  return { rounds: rounds.length, timeouts: [], ended: [] }
}

const KILL: Fault = { kind: 'kill', at: 0 }

type Surroundings = Pick<PlayOptions, 'save' | 'surround' | 'machine' | 'onOutage' | 'onEffect'>

interface Suffering extends Surroundings {
  readonly faults: readonly Fault[]
  readonly poison: () => Promise<void> | undefined
}

/** Lets all faults happen at their times, and returns the time of the end. */
async function suffer(server: Server, { faults, poison, ...surroundings }: Suffering): Promise<number> {
  const life = new AbortController()
  const disturbances = faults.map((fault) => disturb(server, fault, { ...surroundings, signal: life.signal }))
  const last = faults.at(-1) ?? KILL
  await wait(last.at)
  if (last.kind !== 'poison' && server.isAlive()) surroundings.onEffect?.(last.kind)
  try {
    if (last.kind === 'terminate') return await server.terminate(last.graceMs)
    if (last.kind !== 'poison') return await server.kill()
    void poison()
    return await server.poisoned(last.graceMs)
  } finally {
    life.abort()
    await Promise.allSettled(disturbances)
  }
}

/** The faults during which nothing can be recorded. */
const OUTAGES: ReadonlySet<Fault['kind']> = new Set(['full', 'missing', 'replaced', 'cut', 'restart'])

/** In this time after an outage a server notices its end, in milliseconds. */
const NOTICED_MS = 3000

/** Lets a fault happen that the process survives. Rejects when the process has ended before. */
async function disturb(server: Server, fault: Fault, options: Disturbing): Promise<void> {
  if (ENDING.has(fault.kind)) return
  await wait(fault.at, undefined, { signal: options.signal })
  const from = now()
  try {
    if (await happen(server, fault, options)) options.onEffect?.(fault.kind)
  } finally {
    if (OUTAGES.has(fault.kind)) options.onOutage?.({ from, to: now() + NOTICED_MS })
  }
}

interface Disturbing extends Surroundings {
  readonly signal: AbortSignal
}

/** Returns whether the fault is known to have taken effect. */
async function happen(
  server: Server,
  fault: Fault,
  { save, surround, machine, signal }: Disturbing,
): Promise<boolean> {
  if (fault.kind === 'pause') {
    const paused = fault.machine === undefined ? server : (machine?.(fault.machine) ?? server)
    const wasAlive = paused.isAlive()
    await paused.pause(fault.forMs)
    return wasAlive
  }
  if (fault.kind === 'files' || fault.kind === 'full') return server.limit(fault.kind, fault.forMs)
  if (fault.kind !== 'reload') return (await surround?.(fault, signal)) ?? false
  for (let saved = 0; saved < fault.times; saved++) {
    save()
    await wait(fault.everyMs, undefined, { signal })
  }
  return false
}

const now = () => performance.timeOrigin + performance.now()

function output(server: Server): string {
  const text = server.errors().trim()
  return text === '' ? '' : `; the server printed:\n${text}`
}
