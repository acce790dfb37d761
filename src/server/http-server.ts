import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { RequestError, getRequestListener } from '@hono/node-server'
import { uuidV7Generator } from '../lib/ids.ts'
import { hostProblem, refusalResponse, refuseBytes, refuseRequest } from './early-refusal.ts'

export type Fetch = (request: Request) => Response | Promise<Response>

/** Handlers of requests and of WebSocket handshakes. */
export interface ServerHandlers {
  readonly fetch: Fetch
  readonly upgrade: (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void
}

/** Limits for clients whose request has not arrived completely. */
export interface ConnectionLimits {
  readonly requestTimeoutMs: number
  readonly maxConnections: number
}

/** Headers are a few kB: slow networks pass, clients that send them byte by byte to hold connections do not. */
const HEADERS_TIMEOUT_MS = 15_000
/** Longer than the 60 s of common proxies, which then never reuse a connection that is about to close. */
const KEEP_ALIVE_MS = 65_000
const MAX_SWEEP_MS = 5000

/** Creates a server that passes requests to `fetch`. Invalid HTTP is refused here, with the same error envelope. */
export function createHttpServer({ fetch, upgrade }: ServerHandlers, limits: ConnectionLimits): Server {
  const newId = uuidV7Generator()
  const responses = new WeakMap<Duplex, ServerResponse>()
  const listener = getRequestListener(fetch, {
    overrideGlobalObjects: true,
    errorHandler: (error) => {
      if (error instanceof RequestError) return refusalResponse('The request target is not valid', newId())
      throw error
    },
  })
  const server = createServer({ requireHostHeader: false, ...timeouts(limits) }, (request, response) => {
    responses.set(request.socket, response)
    const problem = hostProblem(request)
    if (problem === undefined) void listener(request, response)
    else refuseRequest(response, [400, problem], newId())
  })
  server.maxConnections = limits.maxConnections
  server.on('upgrade', (incoming, socket, head) => {
    const problem = hostProblem(incoming)
    if (problem === undefined) upgrade(incoming, socket, head)
    else refuseBytes(socket, undefined, newId())
  })
  server.on('connect', (_, socket) => refuseBytes(socket, 'CONNECT', newId()))
  server.on('checkExpectation', (_, response) =>
    refuseRequest(response, [417, 'The only supported expectation is 100-continue'], newId()),
  )
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = responses.get(socket)
    // a second response would corrupt one that is partly sent
    const isResponding = response?.headersSent === true && !response.writableFinished
    if (error.code === 'ECONNRESET' || !socket.writable || isResponding) socket.destroy()
    else refuseBytes(socket, error.code, newId())
  })
  return server
}

/** Node checks for slow clients periodically; the interval is short enough for the limits to hold. */
function timeouts({ requestTimeoutMs }: ConnectionLimits): ServerOptions {
  const headersTimeout = Math.min(HEADERS_TIMEOUT_MS, requestTimeoutMs)
  return {
    headersTimeout,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(MAX_SWEEP_MS, Math.ceil(headersTimeout / 3)),
    keepAliveTimeout: KEEP_ALIVE_MS,
  }
}
