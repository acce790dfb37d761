import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { RequestError, getRequestListener } from '@hono/node-server'
import type { HttpBindings } from '@hono/node-server'
import type { Logger } from 'pino'
import { uuidV7Generator } from '../lib/ids.ts'
import { hostProblem, refusalResponse, refuseBytes, refuseRequest } from './early-refusal.ts'
import { restoreBody } from './parsed-body.ts'

export type Fetch = (request: Request, env?: HttpBindings) => Response | Promise<Response>
type Upgrade = (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void

/** Handlers of requests and of WebSocket handshakes. */
export interface ServerHandlers {
  readonly fetch: Fetch
  readonly upgrade: Upgrade
  readonly logger: Pick<Logger, 'error'>
}

/** Limits for clients whose request has not arrived completely. */
export interface ConnectionLimits {
  /** Maximum time to receive a request, in milliseconds. Default: 120,000. */
  readonly requestTimeoutMs: number
  /** Maximum number of open connections. Default: 50,000. */
  readonly maxConnections: number
}

/** Headers are a few kB: slow networks pass, clients that send them byte by byte to hold connections do not. */
const HEADERS_TIMEOUT_MS = 15_000
/** Longer than the 60 s of common proxies, which then never reuse a connection that is about to close. */
const KEEP_ALIVE_MS = 65_000
const MAX_SWEEP_MS = 5000

interface ListenerOptions {
  /** Replaces the global Request and Response by faster ones. Not in the process of another server. */
  readonly overrideGlobalObjects: boolean
  readonly logger: Pick<Logger, 'error'>
  readonly newId: () => string
}

/** Handles requests of a Node HTTP server with `fetch`. Resolves when the response has been sent. Never rejects. */
function requestListener(fetch: Fetch, { overrideGlobalObjects, logger, newId }: ListenerOptions) {
  const listener = getRequestListener((request, env) => fetch(request, env as HttpBindings), {
    overrideGlobalObjects,
    errorHandler: (err) => {
      const requestId = newId()
      if (err instanceof RequestError)
        return refusalResponse([400, 'The request target is not valid'], requestId)
      logger.error({ err, requestId }, 'Internal server error')
      return refusalResponse([500, 'Internal server error'], requestId)
    },
  })
  return (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const problem = hostProblem(request)
    if (problem === undefined) return listener(request, response)
    refuseRequest(response, [400, problem], newId())
    return Promise.resolve()
  }
}

/** Handles the requests and handshakes of a Node HTTP server that another program has created. */
export function mountedListeners({ fetch, upgrade, logger }: ServerHandlers) {
  const newId = uuidV7Generator()
  const listener = requestListener(fetch, { overrideGlobalObjects: false, logger, newId })
  return {
    node: (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      restoreBody(request)
      return listener(request, response)
    },
    upgrade: guardedUpgrade(upgrade, newId),
  }
}

function guardedUpgrade(upgrade: Upgrade, newId: () => string): Upgrade {
  return (incoming, socket, head) => {
    if (hostProblem(incoming) === undefined) upgrade(incoming, socket, head)
    else refuseBytes(socket, undefined, newId())
  }
}

/** Creates a server that passes requests to `fetch`. Invalid HTTP is refused here, with the same error envelope. */
export function createHttpServer(
  { fetch, upgrade, logger }: ServerHandlers,
  limits: ConnectionLimits,
): Server {
  const newId = uuidV7Generator()
  const responses = new WeakMap<Duplex, ServerResponse>()
  const listener = requestListener(fetch, { overrideGlobalObjects: true, logger, newId })
  const server = createServer({ requireHostHeader: false, ...timeouts(limits) }, (request, response) => {
    responses.set(request.socket, response)
    void listener(request, response)
  })
  server.maxConnections = limits.maxConnections
  server.on('upgrade', guardedUpgrade(upgrade, newId))
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
