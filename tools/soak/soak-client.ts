import { setTimeout as wait } from 'node:timers/promises'
import { eventsOf } from '../chaos/streams.ts'
import type { Fleet } from './fleet.ts'

/** How long a response may take, in milliseconds. It is that of executions which sleep, too, on a machine that is busy. */
const RESPONSE_MS = 180_000

/** Between two tries of a request that a deploy has interrupted, in milliseconds. */
const AGAIN_MS = 50

/** Lets console routes be used on this machine, outside of production. */
const DEVELOPMENT = { 'x-service-dev': 'true' }

interface Init {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** What a server has answered. */
export interface Answer {
  readonly status: number
  /** `data` of the envelope. */
  readonly data: any
}

/** Uses the machines of a soak. A request that a deploy interrupts is made again, as a client behind a load balancer does. */
export class SoakClient {
  readonly #fleet: Fleet
  /** Requests that were made again. */
  interrupted = 0

  constructor(fleet: Fleet) {
    this.#fleet = fleet
  }

  get(route: string): Promise<Answer> {
    return this.request(route, {}, answerOf)
  }

  post(route: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.request(route, posted(body, headers), answerOf)
  }

  /** Posts, and reads the response as a stream. */
  stream<T>(route: string, body: object, read: (response: Response) => Promise<T>): Promise<T> {
    return this.request(route, posted(body), read)
  }

  /** Requests, and reads the response. */
  request<T>(
    route: string | (() => string),
    init: Init,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    return this.attempt(async (url) => {
      const response = await fetch(url + (typeof route === 'string' ? route : route()), {
        ...init,
        headers: { ...DEVELOPMENT, ...init.headers },
        signal: AbortSignal.timeout(RESPONSE_MS),
      })
      if (response.status === 503) throw new Error(`503: ${await response.text()}`)
      return read(response)
    })
  }

  /** Uses the URL of one machine after the other, until it succeeds or fails on one that was not about to end. */
  async attempt<T>(work: (url: string) => Promise<T>): Promise<T> {
    for (;;) {
      const machine = this.#fleet.pick()
      try {
        return await work(machine.url)
      } catch (error) {
        if (!machine.isLeaving) throw error
      }
      this.interrupted++
      await wait(AGAIN_MS)
    }
  }

  /** Reads the events of an execution from number `after` on until it has ended. Throws when a number is skipped. */
  async follow(workflow: string, executionId: string, after = 0): Promise<void> {
    let last = after
    const route = () => `/workflows/${workflow}/executions/${executionId}/stream?after=${last}`
    await this.request(route, {}, async (response) => {
      for await (const { id } of eventsOf(response)) {
        if (id !== last + 1) throw new Error(`event ${id} after ${last}`)
        last = id
      }
    })
  }
}

function posted(body: object, headers: Readonly<Record<string, string>> = {}): Init {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  const body = text.startsWith('{') ? (JSON.parse(text) as { data?: unknown }) : undefined
  return { status: response.status, data: body?.data }
}
