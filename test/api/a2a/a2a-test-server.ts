import { type Message, SendMessageRequest, type StreamResponse, type Task } from '@a2a-js/sdk'
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client'
import { createAgent, type AgentServerConfig } from 'agentserver'
import type { CreateServerOptions } from 'agentserver/server'
import { vi } from 'vitest'
import { add } from '../../support/server/sample-tools.ts'
import { TestServer } from '../../support/server/test-server.ts'
import { stubModelEnv } from '../../support/model/model-env.ts'
import { ModelProvider } from '../../support/model/model-provider.ts'

export const helper = createAgent({
  id: 'helper',
  name: 'Helper',
  description: 'Helps with sums',
  version: '2.1.0',
  instructions: 'The passphrase is hunter2.',
  tools: [add],
})

/** A token is the id of its user; the user of the token `nobody` has no id. */
const verifyToken = (token: string) => (token === 'nobody' ? {} : { id: token })

/** A server on a port with authentication, one agent and a scripted model provider. */
export class A2aTestServer {
  readonly provider = new ModelProvider()
  readonly #config: AgentServerConfig
  readonly #options: CreateServerOptions
  #server: TestServer | undefined
  url = ''

  constructor(config: AgentServerConfig = {}, options: CreateServerOptions = {}) {
    this.#config = config
    this.#options = options
  }

  get server(): TestServer {
    if (!this.#server) throw new Error('not open')
    return this.#server
  }

  async open(): Promise<void> {
    stubModelEnv(await this.provider.listen())
    await this.start()
  }

  async start(): Promise<void> {
    const publicRoutes = ['GET /agents/:id/card']
    const authNext = { provider: { type: 'test', verifyToken }, publicRoutes }
    this.#server = new TestServer(
      { workflows: [], agents: [helper], authNext, ...this.#config },
      this.#options,
    )
    this.url = (await this.#server.listen()).url
  }

  async close(): Promise<void> {
    await this.#server?.close()
    this.provider.close()
    vi.unstubAllEnvs()
  }

  /** The SDK's client, created from the URL of the card. */
  connect(user = 'ada', query = ''): Promise<Client> {
    const fetchImpl: typeof fetch = (input, init) =>
      fetch(input, {
        ...init,
        headers: { ...Object.fromEntries(new Headers(init?.headers)), authorization: `Bearer ${user}` },
      })
    const legacyCompat = { enabled: true }
    const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl, legacyCompat })],
      cardResolver: new DefaultAgentCardResolver({ legacyCompat }),
    })
    return new ClientFactory(options).createFromUrl(`${this.url}/agents/helper/card${query}`, '')
  }

  /** Sends a JSON-RPC request, or any text as the body. */
  async rpc(body: unknown, headers: Readonly<Record<string, string>> = {}) {
    const response = await fetch(`${this.url}/agents/helper/a2a`, {
      method: 'POST',
      headers: { authorization: 'Bearer ada', 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as RpcResponse }
  }
}

export interface RpcResponse {
  readonly jsonrpc?: string
  readonly id?: unknown
  readonly error?: { readonly code: number; readonly message: string }
  readonly result?: unknown
}

let count = 0

/** A message with this text. */
export function sending(text: string, more: object = {}, configuration: object = {}): SendMessageRequest {
  const message = { messageId: `message-${++count}`, role: 'ROLE_USER', parts: [{ text }], ...more }
  return SendMessageRequest.fromJSON({ message, configuration })
}

/** The task of a response. */
export function taskIn(answer: Message | Task): Task {
  if (!('status' in answer)) throw new Error('a message, not a task')
  return answer
}

export function textOf(task: Task): string {
  return task.artifacts.flatMap(({ parts }) => parts.map(({ content }) => content?.value as string)).join('|')
}

/** The text after all updates of a stream. */
export function textFrom(events: readonly StreamResponse[]): string {
  return events.reduce((text, { payload }) => {
    if (payload?.$case !== 'artifactUpdate') return text
    const added = payload.value.artifact?.parts.map(({ content }) => content?.value as string).join('') ?? ''
    return payload.value.append ? text + added : added
  }, '')
}
