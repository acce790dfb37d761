import { createServer } from 'agentserver/server'
import type { AgentServer } from 'agentserver/server'
import type { AgentServerConfig } from 'agentserver'
import { pino } from 'pino'
import { vi } from 'vitest'
import type { AgentAnswer } from '../../../../src/contract/endpoints/agent.ts'
import type { ExecutionResult } from '../../../../src/contract/event.ts'
import { systemClock } from '../../../../src/lib/clock.ts'
import { Pins } from '../../../../src/server/dev/pins.ts'
import { FakeEvals, HELD } from '../../../support/evals/fake-evals.ts'
import { npmProject } from '../../../support/project/package-registry.ts'
import { dataOf } from '../../../support/server/responses.ts'
import { held, shop } from './shop.ts'

export const BASE_URL = 'http://127.0.0.1:3141'

type Headers = Readonly<Record<string, string>>

/** A server of the shop in a project of its own, in which an example prepares what its request is about. */
export class ExampleServer {
  readonly project = npmProject(
    { dependencies: { slugs: '^1.0.0', '@shop/slugs': '^1.0.0' } },
    {
      slugs: '1.0.0',
      '@shop/slugs': '1.0.0',
    },
  )
  readonly held = held()
  readonly #server: AgentServer
  readonly #closes: (() => Promise<unknown>)[] = []

  constructor(config: AgentServerConfig = {}) {
    const { root } = this.project
    const logger = pino({ level: 'info' }, { write: () => {} })
    const pins = new Pins({ root, clock: systemClock, logger, onReplayed: () => {} })
    this.#server = createServer(
      { database: ':memory:', enableSwaggerUI: true, ...shop(this.held), ...config },
      {
        root,
        logger,
        production: false,
        pins,
        savedEvals: new FakeEvals({ statuses: ['A-1', 'A-2'], long: [HELD] }),
      },
    )
  }

  send(method: string, path: string, json?: unknown, headers: Headers = {}): Promise<Response> {
    const hasBody = json !== undefined
    return this.#server.fetch(
      new Request(new URL(path, BASE_URL), {
        method,
        headers: { ...(hasBody && { 'Content-Type': 'application/json' }), ...headers },
        ...(hasBody && { body: JSON.stringify(json) }),
      }),
    )
  }

  post<T>(path: string, json: unknown, status = 200): Promise<T> {
    return dataOf<T>(this.send('POST', path, json), status)
  }

  /** Lets time pass. */
  later(ms: number): void {
    vi.advanceTimersByTime(ms)
  }

  /** An expense that is completed, or waits for approval above 100. */
  async expense(amount = 80): Promise<ExecutionResult> {
    const done = await this.post<ExecutionResult>('/workflows/expense/execute', {
      input: { employee: 'Ada', amount },
      options: { userId: 'ada' },
    })
    this.later(60_000)
    return done
  }

  /** A shipment whose first step is running. */
  async shipment(): Promise<string> {
    const sent = this.send(
      'POST',
      '/workflows/shipment/execute',
      { input: { orderId: 'A-1' } },
      {
        prefer: 'respond-async',
      },
    )
    const { executionId } = await dataOf<ExecutionResult>(sent, 202)
    await this.held.started.promise
    return executionId
  }

  async answer(agent = 'support', input = 'Where is order A-1?'): Promise<AgentAnswer> {
    const options = { userId: 'ada', conversationId: 'c1' }
    const answer = await this.post<AgentAnswer>(`/agents/${agent}/text`, { input, options })
    this.later(60_000)
    return answer
  }

  /** Calls back before the server is closed. */
  onClose(close: () => Promise<unknown>): void {
    this.#closes.push(close)
  }

  listen() {
    return this.#server.listen({ port: 0 })
  }

  async close(): Promise<void> {
    this.held.released.resolve()
    for (const close of this.#closes) await close()
    await this.#server.close()
    this.project.remove()
  }
}
