import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { RequestError, getRequestListener } from '@hono/node-server'
import { uuidV7Generator } from '../lib/ids.ts'
import { headProblem, refusalOf, refuseBytes, refuseRequest } from './early-refusal.ts'

export type Fetch = (request: Request) => Response | Promise<Response>

/** What answers: requests, and handshakes that would turn a connection into a WebSocket. */
export interface Answering {
  readonly fetch: Fetch
  readonly upgrade: (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void
}

/** What clients may take of the server before their request is there. */
export interface ConnectionLimits {
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly maxConnections: number
}

const KEEP_ALIVE_MS = 65_000
const MAX_SWEEP_MS = 5000

/** A server whose requests `fetch` answers. What can not be a request is refused here, in the same envelope. */
export function createHttpServer({ fetch, upgrade }: Answering, limits: ConnectionLimits): Server {
  const newId = uuidV7Generator()
  const answers = new WeakMap<Duplex, ServerResponse>()
  const listener = getRequestListener(fetch, {
    overrideGlobalObjects: true,
    errorHandler: (error) => {
      if (error instanceof RequestError) return refusalOf('The request target is not valid', newId())
      throw error
    },
  })
  const server = createServer({ requireHostHeader: false, ...timeouts(limits) }, (request, response) => {
    answers.set(request.socket, response)
    const problem = headProblem(request)
    if (problem === undefined) void listener(request, response)
    else refuseRequest(response, [400, problem], newId())
  })
  server.maxConnections = limits.maxConnections
  server.on('upgrade', (incoming, socket, head) => {
    const problem = headProblem(incoming)
    if (problem === undefined) upgrade(incoming, socket, head)
    else refuseBytes(socket, undefined, newId())
  })
  server.on('connect', (_, socket) => refuseBytes(socket, 'CONNECT', newId()))
  server.on('checkExpectation', (_, response) =>
    refuseRequest(response, [417, 'The only expectation known here is 100-continue'], newId()),
  )
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const answer = answers.get(socket)
    // in the middle of an answer there is no place for another
    const isAnswering = answer?.headersSent === true && !answer.writableFinished
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) socket.destroy()
    else refuseBytes(socket, error.code, newId())
  })
  return server
}

/** Node looks for slow clients from time to time; soon enough that the limits mean something. */
function timeouts({ headersTimeoutMs, requestTimeoutMs }: ConnectionLimits): ServerOptions {
  const headersTimeout = Math.min(headersTimeoutMs, requestTimeoutMs)
  return {
    headersTimeout,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(MAX_SWEEP_MS, Math.ceil(headersTimeout / 3)),
    keepAliveTimeout: KEEP_ALIVE_MS,
  }
}
