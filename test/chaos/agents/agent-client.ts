import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../support/until.ts'
import type { RoundClient } from '../kill-rounds.ts'
import { textOf } from './agent-project.ts'

/** How long the last server may take to complete everything, in milliseconds. */
const FINISH_MS = 60_000

/** A run of an agent, or an execution. */
interface Outcome {
  readonly status: string
  readonly input?: unknown
  readonly output?: unknown
  readonly error?: unknown
}

const ROADS = ['text', 'chat', 'flow'] as const

/** Starts one run of each road per life of the server, and compares what became of them. */
export class AgentClient implements RoundClient {
  /** The runs of which the client has heard. */
  readonly acknowledged = new Set<string>()
  readonly #url: string
  #life = new AbortController()

  constructor(url: string) {
    this.#url = url
  }

  /** Uses the server until `stop`. */
  async use(round: number): Promise<void> {
    const { signal } = (this.#life = new AbortController())
    while (!signal.aborted && !(await this.#isListening())) await wait(20)
    if (!signal.aborted) await Promise.all(ROADS.map((road) => this.#start(road, `${road}-${round}`)))
  }

  stop(): void {
    this.#life.abort()
  }

  /** Waits until the server has begun another response. `false` after `ms`. */
  acknowledgement(ms: number): Promise<boolean> {
    const { size } = this.acknowledged
    return until(() => this.acknowledged.size > size, 'an acknowledgement', ms).catch(() => false)
  }

  async #isListening(): Promise<boolean> {
    try {
      return (await fetch(`${this.#url}/readyz`, { signal: this.#life.signal })).ok
    } catch {
      return false
    }
  }

  async #start(road: (typeof ROADS)[number], run: string): Promise<void> {
    const messages = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: run }] }]
    try {
      if (road === 'text') await this.#post('/agents/kept/text', run, { input: run })
      if (road === 'chat') await this.#post('/agents/kept/chat', run, { id: run, messages })
      const options = { executionId: run }
      if (road === 'flow') await this.#post('/workflows/flow/execute', run, { input: { run }, options })
    } catch {
      // killed
    }
  }

  async #post(route: string, run: string, body: object): Promise<void> {
    const response = await fetch(this.#url + route, {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'respond-async' },
      body: JSON.stringify(body),
      signal: this.#life.signal,
    })
    if (!response.ok) throw new Error(`${run}: ${response.status} ${await response.text()}`)
    this.acknowledged.add(run)
    await response.text()
  }

  /** Waits until the last server has completed everything. Returns what it has not completed in time, if there is any. */
  async finish(): Promise<string[]> {
    this.#life = new AbortController()
    const end = Date.now() + FINISH_MS
    while (Date.now() < end) {
      if ((await this.#isListening()) && !(await this.#isBusy())) return []
      await wait(50)
    }
    return [`the last server did not complete everything within ${FINISH_MS / 1000} s`]
  }

  async #isBusy(): Promise<boolean> {
    const lists = ['/agents/kept/history', '/workflows/executions'].map((list) =>
      this.#list(`${list}?status=running&limit=1`),
    )
    return (await Promise.all(lists)).some(({ length }) => length > 0)
  }

  /**
   * Runs that were lost, started twice, or did not end with their text. Those that still run are no violations: `finish`
   * has waited for them in vain.
   *
   * @param called the runs for which a model was called
   */
  async violations(called: Iterable<string>): Promise<string[]> {
    const outcomes = await this.#outcomes()
    const found: string[] = []
    for (const run of new Set([...this.acknowledged, ...called])) {
      const [outcome, ...more] = outcomes.get(run) ?? []
      if (!outcome || more.length > 0) found.push(`${run}: ${outcome ? 'started twice' : 'lost'}`)
    }
    for (const [run, all] of outcomes)
      for (const { status, output, error } of all)
        if (status !== 'running' && (status !== 'completed' || output !== textOf(run)))
          found.push(`${run}: ${status} ${JSON.stringify({ output, error })}`)
    return found
  }

  async #outcomes(): Promise<Map<string, Outcome[]>> {
    const runs = await this.#all((count) => `/agents/kept/history?limit=100&page=${1 + count / 100}`)
    const executions = await this.#all((count) => `/workflows/executions?limit=100&offset=${count}`)
    const outcomes = new Map<string, Outcome[]>()
    for (const outcome of [...runs, ...executions]) {
      const run = runIn(outcome.input)
      outcomes.set(run, [...(outcomes.get(run) ?? []), outcome])
    }
    return outcomes
  }

  async #all(pageAfter: (count: number) => string): Promise<Outcome[]> {
    const all: Outcome[] = []
    for (;;) {
      const page = await this.#list(pageAfter(all.length))
      all.push(...page)
      if (page.length < 100) return all
    }
  }

  async #list(route: string): Promise<Outcome[]> {
    const response = await fetch(this.#url + route)
    if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`)
    const { data } = (await response.json()) as { data: Outcome[] }
    return data
  }
}

/** The run that an input of any road names. */
function runIn(input: unknown): string {
  return /(?:text|chat|flow)-\d+/.exec(JSON.stringify(input) ?? '')?.[0] ?? 'unknown'
}
