import { setTimeout as wait } from 'node:timers/promises'
import { messageOf } from '../../src/lib/errors.ts'
import type { Server } from './server.ts'

/** Uses the server that is killed. */
export interface RoundClient {
  /** Uses the server until `stop`. */
  use(round: number): Promise<void>
  stop(): void
  /** Waits until the server has acknowledged another request. `false` after `ms`. */
  acknowledgement(ms: number): Promise<boolean>
}

export interface KillRoundsOptions {
  readonly rounds: number
  readonly random: () => number
  readonly client: RoundClient
  readonly startServer: () => Server
  /** The longest time from the start of the process, or from its first response, to its death, in milliseconds. */
  readonly maxLifeMs: number
  /** The share of the rounds in which the server may be killed while it starts. */
  readonly killedInStart: number
  /** How long a round waits for an acknowledgement, in milliseconds. Default: a minute. */
  readonly acknowledgedMs?: number | undefined
  readonly onRound?: ((round: number) => void) | undefined
  /** Called with the time of a kill, when nothing uses the server any more. */
  readonly onKill: (at: number) => void | Promise<void>
}

/** What became of the rounds. */
export interface KilledRounds {
  /** The rounds that ended with a kill as planned. */
  readonly rounds: number
  /** What the harness waited for in vain, one line each: no verdict about the server. */
  readonly timeouts: readonly string[]
  /** Servers that ended by themselves, one line each. */
  readonly ended: readonly string[]
}

const ACKNOWLEDGED_MS = 60_000

/** Starts a server, uses it and kills it, round by round. A round in which that is not possible is the last one. */
export async function killRounds(options: KillRoundsOptions): Promise<KilledRounds> {
  const { random, client, maxLifeMs, killedInStart, acknowledgedMs = ACKNOWLEDGED_MS } = options
  for (let round = 0; round < options.rounds; round++) {
    options.onRound?.(round)
    const server = options.startServer()
    const using = client.use(round)
    const isAcknowledged = random() <= killedInStart || (await client.acknowledgement(acknowledgedMs))
    if (isAcknowledged) await wait(random() * maxLifeMs)
    const killed = await server.kill().catch((error: unknown) => error)
    client.stop()
    await using
    if (typeof killed !== 'number')
      return { rounds: round, timeouts: [], ended: [`round ${round}: ${messageOf(killed)}`] }
    await options.onKill(killed)
    if (isAcknowledged) continue
    const timeout = `round ${round}: no acknowledgement within ${acknowledgedMs / 1000} s${output(server)}`
    return { rounds: round, timeouts: [timeout], ended: [] }
  }
  return { rounds: options.rounds, timeouts: [], ended: [] }
}

function output(server: Server): string {
  const text = server.errors().trim()
  return text === '' ? '' : `; the server printed:\n${text}`
}
