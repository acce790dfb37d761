import { createServer } from 'agentserver/server'
import type { AgentServerConfig } from 'agentserver'
import type { CreateServerOptions } from 'agentserver/server'
import { pino } from 'pino'
import { expect } from 'vitest'
import type { ExecutionEvent, ExecutionResult } from '../../../src/contract/event.ts'
import type { ExecutionDetail } from '../../../src/contract/endpoints/execution.ts'
import { behindPrism } from './prism.ts'
import { Gate, sampleWorkflows } from './sample-workflows.ts'

export interface Sent {
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
  readonly gate = new Gate()
  /** The log records. */
  readonly logs: Record<string, unknown>[] = []
  readonly fetch: (request: Request) => Promise<Response>
  readonly #server: ReturnType<typeof createServer>

  constructor(config: AgentServerConfig = {}, options: CreateServerOptions = {}) {
    const sink = { write: (line: string) => void this.logs.push(JSON.parse(line) as Record<string, unknown>) }
    this.#server = createServer(
      { database: ':memory:', workflows: sampleWorkflows(this.gate), ...config },
      { production: false, logger: pino({ level: 'warn' }, sink), ...options },
    )
    this.fetch = behindPrism(this.#server.fetch, describedApi)
  }

  /** Sends a request to a path or a complete URL. */
  ask(path: string, { json, headers, signal, ...init }: Sent = {}): Promise<Response> {
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
    return this.ask(path, { json, headers })
  }

  execute(
    workflow: string,
    input: unknown = {},
    options: Readonly<Record<string, unknown>> = {},
  ): Promise<ExecutionResult> {
    return dataOf(this.post(`/workflows/${workflow}/execute`, { input, options }))
  }

  /** Starts an execution without waiting for its end. */
  async begin(workflow: string, input: unknown = {}): Promise<string> {
    const reply = this.post(`/workflows/${workflow}/execute`, { input }, { prefer: 'respond-async' })
    return (await dataOf<ExecutionResult>(reply, 202)).executionId
  }

  /** Starts an execution of `hold` and waits until it is at the gate. */
  async held(): Promise<string> {
    const id = await this.begin('hold')
    await this.gate.arrival(id)
    return id
  }

  record(workflow: string, executionId: string): Promise<ExecutionDetail> {
    return dataOf(this.ask(`/workflows/${workflow}/executions/${executionId}`))
  }

  listen(options: { host?: string; port?: number } = {}) {
    return this.#server.listen({ port: 0, ...options })
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

/** The data of a successful response. */
export async function dataOf<T>(sent: Response | Promise<Response>, status = 200): Promise<T> {
  const response = await sent
  const text = await response.text()
  expect(`${response.status} ${text}`).toMatch(new RegExp(`^${status} `))
  const body = JSON.parse(text) as { success: boolean; data: T }
  expect(Object.keys(body)).toEqual(['success', 'data'])
  expect(body.success).toBe(true)
  return body.data
}

const FORBIDDEN_IN_REPLIES = /\bat \S+ \(|\.ts:\d|node_modules|hunter2/

/** The message of an error response, which must be an error envelope and nothing else. */
export async function refusalOf(sent: Response | Promise<Response>, status: number): Promise<string> {
  const response = await sent
  const text = await response.text()
  expect(`${response.status} ${text}`).toMatch(new RegExp(`^${status} `))
  const body = JSON.parse(text) as { success: boolean; error: string }
  expect(Object.keys(body)).toEqual(['success', 'error'])
  expect(body.success).toBe(false)
  expect(body.error).toMatch(/\S/)
  expect(body.error).not.toMatch(FORBIDDEN_IN_REPLIES)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  return body.error
}

export interface SseMessage {
  readonly id: number
  readonly event: ExecutionEvent
}

/** Parses the text of an event stream, which may contain only `id:`, `data:` and comments. */
export function sseMessages(text: string): SseMessage[] {
  expect(text === '' || text.endsWith('\n\n')).toBe(true)
  return text
    .split('\n\n')
    .filter((block) => block !== '' && !block.startsWith(':') && block !== 'data: [DONE]')
    .map((block) => {
      const [, id = '', data = ''] = /^id: (\d+)\ndata: (\{.*\})$/.exec(block) ?? []
      expect(data, `not a message: ${block}`).not.toBe('')
      return { id: Number(id), event: JSON.parse(data) as ExecutionEvent }
    })
}

/** All messages of a stream, read to its end. */
export async function messagesOf(sent: Response | Promise<Response>): Promise<SseMessage[]> {
  const response = await sent
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  return sseMessages(await response.text())
}

/** Reads a stream in parts. */
export function readerOf(response: Response) {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''
  return {
    /** Reads until the text so far matches. */
    async until(pattern: RegExp): Promise<string> {
      while (!pattern.test(text)) {
        const { done, value } = await reader.read()
        if (done) throw new Error(`The stream ended without ${String(pattern)}: ${text}`)
        text += decoder.decode(value, { stream: true })
      }
      return text
    },
    leave: () => reader.cancel(),
  }
}
