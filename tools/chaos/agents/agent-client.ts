import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../../test/support/until.ts'
import type { Round } from '../plan.ts'
import type { RoundClient } from '../play-rounds.ts'
import { runIn, textOf, WORD } from './agent-project.ts'
import { readStream } from './answer-stream.ts'

/** How long the last server may take to complete everything, in milliseconds. */
const FINISH_MS = 60_000

/** A reader of a chat that leaves and resumes disconnects after this many parts. */
const PARTS_BEFORE_LEAVING = 12

/** A run of an agent, or an execution. */
interface Outcome {
  readonly status: string
  readonly input?: unknown
  readonly output?: unknown
  readonly error?: unknown
}

/** A run that waits for a decision. */
interface Waiting extends Outcome {
  readonly id: string
  readonly approvals?: readonly { readonly approvalId: string }[]
  readonly waits?: readonly object[]
}

/** The agents that runs are listed of. */
const AGENTS = ['kept', 'member'] as const

/** Starts one run of each delivery per life of the server, decides about those that wait, and compares what became of them. */
export class AgentClient implements RoundClient {
  /** The runs of which the client has heard. */
  readonly acknowledged = new Set<string>()
  /** The runs whose decision was acknowledged. */
  readonly #decided = new Set<string>()
  /** What did not hold while the server was used. */
  readonly #wrong: string[] = []
  #streams = 0
  readonly #url: string
  #life = new AbortController()

  constructor(url: string) {
    this.#url = url
  }

  /** Uses the server until `stop`. */
  async use(round: number, { starts }: Round): Promise<void> {
    const { signal } = (this.#life = new AbortController())
    while (!signal.aborted && !(await this.#isListening())) await wait(20)
    if (signal.aborted) return
    await Promise.all([
      ...starts.map((delivery) => this.#attempt(() => this.#start(delivery, `${delivery}-${round}`))),
      ...Array.from({ length: round }, (_, earlier) => this.#attempt(() => this.#follow(`chat-${earlier}`))),
      this.#decideUntilStop(round),
    ])
  }

  stop(): void {
    this.#life.abort()
  }

  /** How many runs were decided about, and how many streams were read to their last part. */
  get counts(): { readonly decided: number; readonly streams: number } {
    return { decided: this.#decided.size, streams: this.#streams }
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

  /** Does what the kill of the server may end. */
  async #attempt(request: () => Promise<void>): Promise<void> {
    try {
      await request()
    } catch {
      // killed
    }
  }

  async #start(delivery: string, run: string): Promise<void> {
    const acknowledge = async (route: string, body: object) => {
      const response = await this.#post(route, body)
      this.acknowledged.add(run)
      return response
    }
    if (delivery === 'flow') {
      const body = { input: { run }, options: { executionId: run } }
      await (await acknowledge('/workflows/flow/execute', body)).text()
    } else if (delivery === 'chat') {
      const messages = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: run }] }]
      const response = await acknowledge('/agents/kept/chat', { id: run, messages })
      await this.#read(run, response, (parts) => parts >= PARTS_BEFORE_LEAVING)
      await this.#follow(run)
    } else if (delivery === 'stream') {
      const response = await acknowledge('/agents/kept/stream', { input: run })
      await this.#read(run, response)
    } else {
      await (await acknowledge('/agents/kept/text', { input: run })).text()
    }
  }

  /** Reads the answer of a chat from its start, if it is in progress. */
  async #follow(run: string): Promise<void> {
    const response = await this.#request(`/agents/kept/chat/${run}/stream`)
    if (response.status === 200) await this.#read(run, response)
  }

  async #read(run: string, response: Response, leave?: (parts: number) => boolean): Promise<void> {
    const { isFinished, wrong } = await readStream(run, response, leave)
    if (isFinished) this.#streams++
    this.#wrong.push(...wrong)
  }

  async #decideUntilStop(round: number): Promise<void> {
    const { signal } = this.#life
    while (!signal.aborted) {
      await this.#attempt(() => this.#decide(round))
      await wait(50)
    }
  }

  /** Decides about runs that wait: one half at once, the other in a later life of the server. */
  async #decide(round: number): Promise<void> {
    for (const run of (await this.#list('/agents/kept/history?status=suspended&limit=100')) as Waiting[]) {
      const name = nameOf(run)
      const started = Number(name.split('-')[1])
      if (started % 2 === 0 || started < round) await this.#attempt(() => this.#decideAbout(name, run))
    }
  }

  async #decideAbout(name: string, { id, approvals = [], waits = [] }: Waiting): Promise<void> {
    if (this.#decided.has(name)) this.#wrong.push(`${name}: waits again after its decision was acknowledged`)
    const decisions = approvals.map(({ approvalId }) => ({ approvalId, approved: true }))
    const [route, body] =
      waits.length > 0 ? ['resume', { resumeData: { word: WORD } }] : ['approvals', { approvals: decisions }]
    // a stream begins when the decision is recorded, before the rest of the answer
    const response = await this.#post(`/agents/kept/runs/${id}/${route}`, body, {
      accept: 'text/event-stream',
    })
    this.#decided.add(name)
    await response.text()
  }

  async #post(
    route: string,
    body: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const response = await this.#request(route, {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'respond-async', ...headers },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`)
    return response
  }

  #request(route: string, init: RequestInit = {}): Promise<Response> {
    const signal = AbortSignal.any([this.#life.signal, AbortSignal.timeout(FINISH_MS)])
    return fetch(this.#url + route, { ...init, signal })
  }

  /** Waits until the last server has completed everything. Returns what it has not completed in time, if there is any. */
  async finish(): Promise<string[]> {
    this.#life = new AbortController()
    const end = Date.now() + FINISH_MS
    while (Date.now() < end) {
      if (await this.#isListening()) {
        await this.#attempt(() => this.#decide(Number.POSITIVE_INFINITY))
        if (!(await this.#isBusy())) return []
      }
      await wait(50)
    }
    return [`the last server did not complete everything within ${FINISH_MS / 1000} s`]
  }

  async #isBusy(): Promise<boolean> {
    const lists = [...AGENTS.map((id) => `/agents/${id}/history`), '/workflows/executions'].flatMap((list) =>
      OPEN.map((status) => this.#list(`${list}?status=${status}&limit=1`)),
    )
    return (await Promise.all(lists)).some(({ length }) => length > 0)
  }

  /**
   * Runs that were lost, started twice, or did not end with their text, and streams that had something else. Those that are
   * still open are no violations: `finish` has waited for them in vain.
   *
   * @param called the runs for which a model was called
   */
  async violations(called: Iterable<string>): Promise<string[]> {
    const outcomes = await this.#outcomes()
    const found = [...this.#wrong]
    for (const run of new Set([...this.acknowledged, ...called])) {
      const [outcome, ...more] = outcomes.get(run) ?? []
      if (!outcome || more.length > 0) found.push(`${run}: ${outcome ? 'started twice' : 'lost'}`)
    }
    for (const [run, all] of outcomes)
      for (const { status, output, error } of all)
        if (!OPEN.includes(status) && (status !== 'completed' || output !== textOf(run)))
          found.push(`${run}: ${status} ${JSON.stringify({ output, error })}`)
    return found
  }

  async #outcomes(): Promise<Map<string, Outcome[]>> {
    const outcomes = new Map<string, Outcome[]>()
    const lists = await Promise.all([
      ...AGENTS.map((id) => this.#all((count) => `/agents/${id}/history?limit=100&page=${1 + count / 100}`)),
      this.#all((count) => `/workflows/executions?limit=100&offset=${count}`),
    ])
    for (const outcome of lists.flat()) {
      const run = nameOf(outcome)
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
    const response = await this.#request(route)
    if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`)
    const { data } = (await response.json()) as { data: Outcome[] }
    return data
  }
}

/** The statuses of runs and executions that have not ended. */
const OPEN: readonly string[] = ['running', 'suspended']

/** The run that an input of any delivery names. */
function nameOf({ input }: Outcome): string {
  return runIn(JSON.stringify(input) ?? '') ?? 'unknown'
}
