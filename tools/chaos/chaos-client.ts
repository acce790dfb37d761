import { isDeepStrictEqual } from 'node:util'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../test/support/until.ts'
import { EXPECTED, POISON, TICK } from './chaos-project.ts'
import type { Round } from './plan.ts'
import type { RoundClient } from './play-rounds.ts'
import { eventsOf, Streams } from './streams.ts'

interface ExecutionRecord {
  readonly status: string
  readonly output?: unknown
  readonly error?: unknown
  readonly compensation?: string
}

/** What the harness has not seen, one line each, and what that says about the server. */
interface Unfinished {
  readonly timeouts: readonly string[]
  readonly violations: readonly string[]
}

/** How long a response may take, in milliseconds. */
const RESPONSE_MS = 15_000

/** The id of an execution that a client has started: its workflow and the round. */
const STARTED = /^([a-z]+)-\d+$/

/** Of records that need no answer any more. Retention may have deleted one. */
const ENDED: ReadonlySet<string> = new Set(['completed', 'lost'])

/** The number of events that each execution of `waits` receives. */
const EVENTS = 3

/** How long the last server may take to complete everything, in milliseconds. */
const FINISH_MS = 240_000

/** Starts executions, resumes them, sends their events and reads their streams, and remembers what was acknowledged. */
export class ChaosClient implements RoundClient {
  /** The workflow of each execution whose start was acknowledged, by the execution's id. */
  readonly acknowledged = new Map<string, string>()
  readonly #urls: () => readonly string[]
  #requests = 0
  #life = new AbortController()
  /** Executions that need an answer. */
  readonly #asking = new Set<string>()
  /** The next event of each execution that waits for some. */
  readonly #events = new Map<string, number>()
  readonly streams = new Streams()
  /** The streams that are being read, by execution. */
  readonly #reading = new Map<string, Promise<void>>()

  /** `urls`: those of the machines that answer. */
  constructor(urls: () => readonly string[]) {
    this.#urls = urls
  }

  /** The machines get the requests in turns. */
  get #url(): string {
    const urls = this.#urls()
    const url = urls[this.#requests++ % urls.length]
    if (url === undefined) throw new Error('No machine answers')
    return url
  }

  /** Uses the server until `stop`. */
  async use(number: number, round: Round): Promise<void> {
    const { signal } = (this.#life = new AbortController())
    while (!signal.aborted) {
      try {
        // one after the other, so that a fault at any time finds one that was started just now
        const next = round.starts.find((workflow) => !this.acknowledged.has(`${workflow}-${number}`))
        if (next !== undefined) await this.#start(`${next}-${number}`, next, round.streams.includes(next))
        await this.#answer()
        this.#readStreams()
        await wait(next === undefined ? 20 : 2, undefined, { signal })
      } catch {
        // not listening yet, or killed
        await wait(20)
      }
    }
    await Promise.all(this.#reading.values())
  }

  stop(): void {
    this.#life.abort()
  }

  /** Starts an execution whose step ends the process. */
  async poison(number: number): Promise<void> {
    // the process ends before or after it has acknowledged the start
    await this.#start(`${POISON}-${number}`, POISON, false).catch(() => undefined)
  }

  /** Waits until the server has acknowledged the start of another execution. `false` after `ms`. */
  acknowledgement(ms: number): Promise<boolean> {
    const { size } = this.acknowledged
    return until(() => this.acknowledged.size > size, 'an acknowledgement', ms).catch(() => false)
  }

  async #start(executionId: string, workflow: string, isStreamed: boolean): Promise<void> {
    const body = { input: {}, options: { executionId } }
    const response = isStreamed
      ? await this.#post(`/workflows/${workflow}/stream`, body)
      : await this.#post(`/workflows/${workflow}/execute`, body, { headers: { prefer: 'respond-async' } })
    const { status } = response
    // 409: the start was stored, and its acknowledgement lost
    if (status !== (isStreamed ? 200 : 202) && status !== 409) throw new Error(`${executionId}: ${status}`)
    this.#adopt(executionId)
    if (!isStreamed) return void (await response.arrayBuffer())
    this.streams.add(executionId)
    // it ends also when the execution waits
    if (status === 200) this.#read(executionId, this.streams.read(executionId, response, { ends: false }))
  }

  /** From now on the execution is waited for, and gets what it needs. Also one whose acknowledgement was lost. */
  #adopt(executionId: string): void {
    const workflow = STARTED.exec(executionId)?.[1]
    if (workflow === undefined || this.acknowledged.has(executionId)) return
    this.acknowledged.set(executionId, workflow)
    if (workflow === 'asks') this.#asking.add(executionId)
    if (workflow === 'waits') this.#events.set(executionId, 0)
  }

  #read(executionId: string, reading: Promise<void>): void {
    // the server is not listening yet, or was killed
    const done = reading.catch(() => undefined).finally(() => this.#reading.delete(executionId))
    this.#reading.set(executionId, done)
  }

  /** Reads the streams that a kill or a wait has ended. */
  #readStreams(): void {
    for (const [executionId, last] of this.streams.open)
      if (!this.#reading.has(executionId)) this.#read(executionId, this.#follow(executionId, last))
  }

  async #follow(executionId: string, last: number): Promise<void> {
    const response = await fetch(this.#url + this.#streamOf(executionId), {
      headers: { 'last-event-id': String(last) },
      signal: this.#life.signal,
    })
    if (response.status === 404) this.streams.close(executionId)
    else await this.streams.read(executionId, response, { ends: true })
  }

  #streamOf(executionId: string): string {
    return `/workflows/${this.acknowledged.get(executionId)}/executions/${executionId}/stream`
  }

  /** Resumes and sends events until all are acknowledged. */
  async #answer(): Promise<void> {
    for (const executionId of this.#asking) {
      const { status } = await this.#send(`/workflows/asks/executions/${executionId}/resume`, {
        resumeData: { answer: 42 },
      })
      if (status === 200 || ENDED.has((await this.#record('asks', executionId)).status))
        this.#asking.delete(executionId)
    }
    for (const [key, first] of this.#events) {
      for (let n = first; n < EVENTS; n++) {
        const { status } = await this.#send('/events', { name: 'chaos', key, data: { n }, id: `${key}-${n}` })
        if (status !== 200) throw new Error(`event ${key}-${n}: ${status}`)
        this.#events.set(key, n + 1)
      }
      this.#events.delete(key)
    }
  }

  /** Waits until the last server has completed everything, or nothing has happened in it for long although it runs. */
  async finish(isIdle: () => boolean): Promise<Unfinished> {
    this.#life = new AbortController()
    const end = Date.now() + FINISH_MS
    while (Date.now() < end) {
      // not listening yet, or not answering what it waits for itself
      await this.#answer().catch(() => undefined)
      this.#readStreams()
      const open = (await this.#areReady()) ? await this.#open().catch(() => undefined) : undefined
      if (open?.size === 0) return { timeouts: [], violations: [] }
      if (open && isIdle()) return { timeouts: [], violations: [...open].map((id) => `${id}: is left open`) }
      await wait(100)
    }
    return {
      timeouts: [`the last server did not complete everything within ${FINISH_MS / 1000} s`],
      violations: [],
    }
  }

  async #areReady(): Promise<boolean> {
    const ready = this.#urls().map(async (url) => {
      const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(RESPONSE_MS) })
      await response.arrayBuffer()
      return response.ok
    })
    return ready.length > 0 && (await Promise.all(ready).catch(() => [false])).every(Boolean)
  }

  /** The ids of executions that have not ended or got all that they need, or whose streams have not ended. */
  async #open(): Promise<ReadonlySet<string>> {
    const lists = ['running', 'suspended'].map(async (status) => {
      const response = await this.#get(`/workflows/executions?limit=100&status=${status}`)
      const { data } = (await response.json()) as { data: { id: string }[] }
      return data.map(({ id }) => id)
    })
    const unended = (await Promise.all(lists)).flat().filter((id) => !id.startsWith(TICK))
    for (const executionId of unended) this.#adopt(executionId)
    return new Set([...unended, ...this.#asking, ...this.#events.keys(), ...this.streams.open.keys()])
  }

  /**
   * Acknowledged executions that are lost, or did not end as they should with a whole record of events, and events that
   * were streamed otherwise. Those that have not ended are no violations: `finish` has reported them.
   *
   * @param wrongDeletion says why retention should not have deleted an execution
   */
  async *violations(
    wrongDeletion: (executionId: string, workflow: string) => string | undefined,
  ): AsyncGenerator<string> {
    yield* this.streams.violations
    for (const [executionId, workflow] of this.acknowledged) {
      const { status, output, error, compensation } = await this.#record(workflow, executionId)
      if (status === 'running' || status === 'suspended') continue
      const expected = EXPECTED[workflow]
      if (status === 'lost') {
        const wrong = wrongDeletion(executionId, workflow)
        if (wrong !== undefined) yield `${executionId}: lost, ${wrong}`
      } else if (
        status !== expected?.status ||
        compensation !== expected.compensation ||
        (expected.error !== undefined && nameOf(error) !== expected.error) ||
        !isDeepStrictEqual(output ?? undefined, expected.output)
      )
        yield `${executionId}: ${status} ${JSON.stringify({ output, error, compensation })}`
      else yield* this.#wrongEvents(executionId)
    }
  }

  async *#wrongEvents(executionId: string): AsyncGenerator<string> {
    const recorded = new Map<number, string>()
    let last = 0
    const completed = new Set<string>()
    for await (const { id, data } of eventsOf(await this.#get(this.#streamOf(executionId)))) {
      if (id !== last + 1) yield `${executionId}: event ${id} after ${last}`
      recorded.set(id, data)
      last = id
      const event = JSON.parse(data) as { type: string; from?: string; path?: string }
      if (event.type !== 'step-complete') continue
      const { from = '', path = from } = event
      if (completed.has(path)) yield `${executionId}: ${path} completed twice`
      completed.add(path)
    }
    if (last === 0) yield `${executionId}: no events`
    yield* this.streams.differences(executionId, recorded)
  }

  /** The executions of the schedule, recorded or noted by one of their steps: one a second, without a gap. */
  async ticks(noted: readonly string[]): Promise<{ count: number; gaps: string[] }> {
    const instants = noted
      .flatMap((step) => new RegExp(`^${TICK}(.+?Z)`).exec(step)?.[1] ?? [])
      .map((at) => Date.parse(at))
    for (let offset = 0; ; offset += 100) {
      const response = await this.#get(`/workflows/executions?workflowId=ticks&limit=100&offset=${offset}`)
      const { data } = (await response.json()) as { data: { id: string }[] }
      instants.push(...data.map(({ id }) => Date.parse(id.slice(TICK.length))))
      if (data.length < 100) break
    }
    const sorted = [...new Set(instants)].toSorted((a, b) => a - b)
    const gaps = sorted.filter((at, index) => index > 0 && at - (sorted[index - 1] ?? 0) !== 1000)
    return {
      count: sorted.length,
      gaps: gaps.map((at) => `no tick a second before ${new Date(at).toISOString()}`),
    }
  }

  async #record(workflow: string, executionId: string): Promise<ExecutionRecord> {
    const response = await this.#get(`/workflows/${workflow}/executions/${executionId}`)
    const { data } = (await response.json()) as { data?: ExecutionRecord }
    return data ?? { status: 'lost' }
  }

  #get(route: string): Promise<Response> {
    return fetch(this.#url + route, { signal: AbortSignal.timeout(RESPONSE_MS) })
  }

  /** Posts, and reads the response. */
  async #send(route: string, body: object): Promise<Response> {
    const response = await this.#post(route, body, { signal: AbortSignal.timeout(RESPONSE_MS) })
    await response.arrayBuffer()
    return response
  }

  #post(route: string, body: object, { headers = {}, signal }: PostOptions = {}): Promise<Response> {
    const life = this.#life.signal
    return fetch(this.#url + route, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: signal ? AbortSignal.any([life, signal]) : life,
    })
  }
}

interface PostOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

function nameOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'name' in error ? error.name : undefined
}
