import { load } from '../load.ts'
import type { Running } from '../process.ts'
import { progress } from './progress.ts'

const CONNECTIONS = 50
const PART = 10_000
/** Seconds: a busy machine is slow, which is no failure. */
const TIMEOUT = 120

interface FillOptions {
  readonly workflow: string
  readonly count: number
  /** Input of each execution by its number. */
  readonly input?: (number: number) => object
  /** The number of the first one. */
  readonly first?: number
  /** Whether it waits for the ends of the executions. */
  readonly waits?: boolean
}

/** Starts executions over HTTP. Returns how many per second. */
export async function fill(
  server: Running,
  { workflow, count, input = () => ({}), first = 0, waits = false }: FillOptions,
): Promise<number> {
  const startedAt = performance.now()
  let next = first
  for (let done = 0; done < count; done += PART) {
    const { failed } = await load({
      url: `${server.url}/workflows/${workflow}/execute`,
      bodyOf: () => ({ input: input(next++) }),
      headers: waits ? {} : { prefer: 'respond-async' },
      amount: Math.min(PART, count - done),
      connections: Math.min(CONNECTIONS, count - done),
      timeout: TIMEOUT,
    })
    if (failed > 0) throw new Error(`${failed} executions of ${workflow} did not start`)
    if (done + PART < count) progress(`${(done + PART).toLocaleString('en-US')} of ${workflow} started`)
  }
  return count / ((performance.now() - startedAt) / 1000)
}
