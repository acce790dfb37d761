import { createServer } from 'agentserver/server'
import type { AgentServerConfig } from 'agentserver'
import type { CreateServerOptions } from 'agentserver/server'
import { pino } from 'pino'
import { systemClock } from '../../../src/lib/clock.ts'
import type { ExecutionResult } from '../../../src/contract/event.ts'
import type { ExecutionDetail } from '../../../src/contract/endpoints/execution.ts'
import { behindPrism } from './prism.ts'
import { dataOf } from './responses.ts'
import { Gate, sampleWorkflows } from './sample-workflows.ts'

type ServerOptions = CreateServerOptions & NonNullable<Parameters<typeof createServer>[1]>

export interface SentRequest {
  readonly method?: string
  /** A body to send as JSON. */
  readonly json?: unknown
  /** A body to send unchanged. */
  readonly body?: NonNullable<RequestInit['body']>
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** A server in this process, without a port. */
export class TestServer {
  readonly gate: Gate
  /** The log records. */
  readonly logs: Record<string, unknown>[] = []
  readonly fetch: (request: Request) => Promise<Response>
  readonly #server: ReturnType<typeof createServer>

  /**
   * `level`: the minimum level of `logs`. `gate`: that of the sample workflows in `config`. `described`: whether /doc has
   * its routes; not where custom ones are in the place of endpoints that are switched off.
   */
  constructor(
    config: AgentServerConfig = {},
    {
      level = 'warn',
      gate = new Gate(),
      described = true,
      ...options
    }: ServerOptions & { readonly level?: string; readonly gate?: Gate; readonly described?: boolean } = {},
  ) {
    this.gate = gate
    const sink = { write: (line: string) => void this.logs.push(JSON.parse(line) as Record<string, unknown>) }
    this.#server = createServer(
      { database: ':memory:', workflows: sampleWorkflows(gate), ...config },
      // with a clock of its own it is not shared with another one of the same database
      { production: false, logger: pino({ level }, sink), clock: systemClock, ...options },
    )
    this.fetch = described ? behindPrism(this.#server.fetch, describedApi) : this.#server.fetch
  }

  /** Sends a request to a path or a complete URL. */
  request(path: string, { json, headers, signal, ...init }: SentRequest = {}): Promise<Response> {
    const isJson = json !== undefined
    return this.fetch(
      new Request(new URL(path, 'http://localhost:3141'), {
        ...init,
        ...(isJson && { method: init.method ?? 'POST', body: JSON.stringify(json) }),
        headers: { ...(isJson && { 'Content-Type': 'application/json' }), ...headers },
        ...(signal && { signal }),
        ...(init.body instanceof ReadableStream && { duplex: 'half' }),
      }),
    )
  }

  post(path: string, json: unknown = {}, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.request(path, { json, headers })
  }

  execute(
    workflow: string,
    input: unknown = {},
    options: Readonly<Record<string, unknown>> = {},
  ): Promise<ExecutionResult> {
    return dataOf(this.post(`/workflows/${workflow}/execute`, { input, options }))
  }

  /** Starts an execution without waiting for its end. */
  async startExecution(workflow: string, input: unknown = {}): Promise<string> {
    const reply = this.post(`/workflows/${workflow}/execute`, { input }, { prefer: 'respond-async' })
    return (await dataOf<ExecutionResult>(reply, 202)).executionId
  }

  /** Starts an execution of `hold` and waits until it is at the gate. */
  async startHeldExecution(): Promise<string> {
    const id = await this.startExecution('hold')
    await this.gate.arrival(id)
    return id
  }

  record(workflow: string, executionId: string): Promise<ExecutionDetail> {
    return dataOf(this.request(`/workflows/${workflow}/executions/${executionId}`))
  }

  listen(options: { host?: string; port?: number } = {}) {
    return this.#server.listen({ port: 0, ...options })
  }

  /** Rejects when the server can't start. */
  ready(): Promise<void> {
    return this.#server.ready()
  }

  close(): Promise<void> {
    this.gate.remove()
    return this.#server.close()
  }
}

/** The description of the API. */
async function describedApi(): Promise<object> {
  const server = createServer({ database: ':memory:' }, { production: false })
  const response = await server.fetch(new Request('http://localhost/doc'))
  await server.close()
  return (await response.json()) as object
}
