import { createOpenAI } from '@ai-sdk/openai'
import type { AgentServerConfig } from 'agentserver'
import type { CreateServerOptions } from 'agentserver/server'
import OpenAI from 'openai'
import { TestServer } from '../../support/server/test-server.ts'

/** A token is the id of its user; the user of the token `nobody` has no id. */
export const users: NonNullable<AgentServerConfig['authNext']> = {
  provider: {
    type: 'test',
    verifyToken: (token) => (token === 'nobody' ? {} : token === 'wrong' ? null : { id: token }),
  },
}

/** A server on a port, and the clients of OpenAI's API. */
export class OpenaiTestServer {
  readonly server: TestServer
  url = ''

  constructor(config: AgentServerConfig, options: CreateServerOptions = {}) {
    this.server = new TestServer({ workflows: [], ...config }, options)
  }

  async open(): Promise<void> {
    this.url = `${(await this.server.listen()).url}/v1`
  }

  close(): Promise<void> {
    return this.server.close()
  }

  /** The official client, as it is. */
  client(apiKey = 'ada'): OpenAI {
    return new OpenAI({ apiKey, baseURL: this.url, maxRetries: 0 })
  }

  /** The provider of the AI SDK, as it is. */
  provider(apiKey = 'ada') {
    return createOpenAI({ apiKey, baseURL: this.url })
  }

  /** Sends any text as the body of a request. */
  async send(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    const response = await fetch(this.url + path, {
      method: 'POST',
      headers: { authorization: 'Bearer ada', 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
}
