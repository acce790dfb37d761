import { isDeepStrictEqual } from 'node:util'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../test/support/until.ts'
import type { RoundClient } from './kill-rounds.ts'

interface ExecutionRecord {
  readonly status: string
  readonly output?: unknown
  readonly error?: unknown
}

/** The number of events that each execution of `waits` receives. */
const EVENTS = 3

/** How long the last server may take to complete everything, in milliseconds. */
const FINISH_MS = 120_000

/** Starts executions, resumes them and sends their events, and remembers what the server has acknowledged. */
export class ChaosClient implements RoundClient {
  /** The workflow of each execution whose start was acknowledged, by the execution's id. */
  readonly acknowledged = new Map<string, string>()
  readonly #url: string
  readonly #workflows: readonly string[]
  #life = new AbortController()
  /** Executions that need an answer. */
  readonly #asking = new Set<string>()
  /** The next event of each execution that waits for some. */
  readonly #events = new Map<string, number>()

  constructor(url: string, workflows: readonly string[]) {
    this.#url = url
    this.#workflows = workflows
  }

  /** Uses the server until `stop`. */
  async use(round: number): Promise<void> {
    const { signal } = (this.#life = new AbortController())
    while (!signal.aborted) {
      try {
        await this.#start(round)
        await this.#answer()
        await wait(20, undefined, { signal })
      } catch {
        // not listening yet, or killed
        await wait(20)
      }
    }
  }

  stop(): void {
    this.#life.abort()
  }

  /** Waits until the server has acknowledged the start of another execution. `false` after `ms`. */
  acknowledgement(ms: number): Promise<boolean> {
    const { size } = this.acknowledged
    return until(() => this.acknowledged.size > size, 'an acknowledgement', ms).catch(() => false)
  }

  async #start(round: number): Promise<void> {
    for (const workflow of this.#workflows) {
      const executionId = `${workflow}-${round}`
      if (this.acknowledged.has(executionId)) continue
      const { status } = await this.#post(
        `/workflows/${workflow}/execute`,
        { input: {}, options: { executionId } },
        { prefer: 'respond-async' },
      )
      // 409: the start was stored, and its acknowledgement lost
      if (status !== 202 && status !== 409) throw new Error(`${executionId}: ${status}`)
      this.acknowledged.set(executionId, workflow)
      if (workflow === 'asks') this.#asking.add(executionId)
      if (workflow === 'waits') this.#events.set(executionId, 0)
    }
  }

  /** Resumes and sends events until all are acknowledged. */
  async #answer(): Promise<void> {
    for (const executionId of this.#asking) {
      const { status } = await this.#post(`/workflows/asks/executions/${executionId}/resume`, {
        resumeData: { answer: 42 },
      })
      if (status === 200 || (await this.#record('asks', executionId)).status === 'completed')
        this.#asking.delete(executionId)
    }
    for (const [key, first] of this.#events) {
      for (let n = first; n < EVENTS; n++) {
        const { status } = await this.#post('/events', { name: 'chaos', key, data: { n }, id: `${key}-${n}` })
        if (status !== 200) throw new Error(`event ${key}-${n}: ${status}`)
        this.#events.set(key, n + 1)
      }
      this.#events.delete(key)
    }
  }

  /** Waits until the last server has completed everything. Returns what it has not completed in time, if there is any. */
  async finish(): Promise<string[]> {
    this.#life = new AbortController()
    const end = Date.now() + FINISH_MS
    while (Date.now() < end) {
      try {
        await this.#answer()
        if (this.#asking.size + this.#events.size === 0 && (await this.#open()) === 0) return []
      } catch {
        // not listening yet
      }
      await wait(100)
    }
    return [`the last server did not complete everything within ${FINISH_MS / 1000} s`]
  }

  async #open(): Promise<number> {
    let open = 0
    for (const status of ['running', 'suspended']) {
      const response = await fetch(`${this.#url}/workflows/executions?limit=1&status=${status}`)
      await response.text()
      open += Number(response.headers.get('x-total-count'))
    }
    return open
  }

  /**
   * Acknowledged executions that are lost, or did not complete with their output and a whole record of events. Those that
   * have not ended are no violations: `finish` has waited for them in vain.
   */
  async violations(outputs: Readonly<Record<string, unknown>>): Promise<string[]> {
    const found: string[] = []
    for (const [executionId, workflow] of this.acknowledged) {
      const { status, output, error } = await this.#record(workflow, executionId)
      if (status === 'running' || status === 'suspended') continue
      if (status !== 'completed' || !isDeepStrictEqual(output, outputs[workflow]))
        found.push(`${executionId}: ${status} ${JSON.stringify({ output, error })}`)
      else found.push(...(await this.#wrongEvents(workflow, executionId)))
    }
    return found
  }

  async #wrongEvents(workflow: string, executionId: string): Promise<string[]> {
    const response = await fetch(`${this.#url}/workflows/${workflow}/executions/${executionId}/stream`)
    const blocks = (await response.text()).trim().split('\n\n')
    const found: string[] = []
    const completed = new Set<string>()
    let last = 0
    for (const block of blocks) {
      const [, id, data = '{}'] = /^id: (\d+)\ndata: (.*)$/.exec(block) ?? []
      if (id === undefined) continue
      if (Number(id) !== last + 1) found.push(`${executionId}: event ${id} after ${last}`)
      last = Number(id)
      const { type, from } = JSON.parse(data) as { type: string; from?: string }
      if (type !== 'step-complete') continue
      if (completed.has(from ?? '')) found.push(`${executionId}: ${from} completed twice`)
      completed.add(from ?? '')
    }
    return last === 0 ? [`${executionId}: no events`] : found
  }

  /** The executions of the schedule: one a second, without a gap. */
  async ticks(): Promise<{ count: number; violations: string[] }> {
    const instants: number[] = []
    for (let offset = 0; ; offset += 100) {
      const response = await fetch(
        `${this.#url}/workflows/executions?workflowId=ticks&limit=100&offset=${offset}`,
      )
      const { data } = (await response.json()) as { data: { id: string }[] }
      instants.push(...data.map(({ id }) => Date.parse(id.slice('second:'.length))))
      if (data.length < 100) break
    }
    const sorted = [...new Set(instants)].toSorted((a, b) => a - b)
    const gaps = sorted.filter((at, index) => index > 0 && at - (sorted[index - 1] ?? 0) !== 1000)
    return {
      count: sorted.length,
      violations: gaps.map((at) => `no tick a second before ${new Date(at).toISOString()}`),
    }
  }

  async #record(workflow: string, executionId: string): Promise<ExecutionRecord> {
    const response = await fetch(`${this.#url}/workflows/${workflow}/executions/${executionId}`)
    const { data } = (await response.json()) as { data?: ExecutionRecord }
    return data ?? { status: 'lost' }
  }

  async #post(
    route: string,
    body: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const response = await fetch(this.#url + route, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: this.#life.signal,
    })
    await response.arrayBuffer()
    return response
  }
}
