import { STATUS_CODES } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import type { WebSocket, WebSocketServer } from 'ws'
import { errorEnvelope } from '../lib/json/envelope.ts'
import { AppError } from '../lib/errors.ts'
import type { AuthFailures } from '../auth/auth-failures.ts'
import type { StreamPermissions } from '../auth/stream-permissions.ts'
import { acceptHandshake, admitHandshake } from './handshake.ts'
import type { AcceptedHandshake, HandshakeRules } from './handshake.ts'
import type { RenewalCheck } from './socket-routes.ts'

/** Detects dead peers within a minute and a half, and keeps entries of NAT alive. */
const PING_MS = 30_000
/** A client that has not answered this many pings is terminated at the next one. */
const MAX_MISSED_PONGS = 2

/** Pings all sockets of a server and terminates those that don't answer, until the returned function is called. */
export function keepAlive(server: WebSocketServer): () => void {
  const missed = new WeakMap<WebSocket, number>()
  server.on('connection', (socket) => socket.on('pong', () => missed.set(socket, 0)))
  const timer = setInterval(() => {
    for (const socket of server.clients) {
      const misses = missed.get(socket) ?? 0
      if (misses >= MAX_MISSED_PONGS) {
        socket.terminate()
        continue
      }
      missed.set(socket, misses + 1)
      socket.ping()
    }
  }, PING_MS)
  timer.unref()
  return () => clearInterval(timer)
}

interface UpgradeServices {
  /** @throws AppError `unavailable` while no configuration is loaded */
  rules(): HandshakeRules
  /** Closes sockets whose permission ends. */
  readonly permissions: Pick<StreamPermissions, 'hold'>
  /** Counts handshakes with invalid credentials. */
  readonly failures: Pick<AuthFailures, 'add'>
  /** Runs user code so that its calls are made on this server. */
  readonly enter: <T>(work: () => T) => T
  readonly logger: Logger
  readonly newId: () => string
}

interface OpenSockets {
  readonly server: WebSocketServer
  readonly stopPings: () => void
}

/** Subscriptions are small; the default of `ws` is 100 MiB. */
const MAX_MESSAGE_BYTES = 1024 * 1024
const GOING_AWAY = 1001
const INTERNAL_ERROR = 1011
/** Of the range for applications: the token has expired, or new rules refuse the credentials. */
const UNAUTHORIZED = 4401

/** Upgrades HTTP connections to WebSockets (RFC 6455) when the gate admits them. */
export class Upgrades {
  readonly #services: UpgradeServices
  #opened: Promise<OpenSockets> | undefined
  #server: WebSocketServer | undefined

  constructor(services: UpgradeServices) {
    this.#services = services
  }

  /** Handles a handshake. Never throws: a refusal is a complete HTTP response. */
  readonly handle = (incoming: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const ignore = () => socket.destroy()
    socket.on('error', ignore)
    this.#accept(incoming).then(
      ({ accepted, server }) => {
        socket.off('error', ignore)
        server.handleUpgrade(incoming, socket, head, (webSocket) => {
          server.emit('connection', webSocket, incoming)
          const onRenewed = this.#holdPermission(webSocket, accepted, incoming)
          this.#handleSocket(webSocket, accepted, onRenewed)
        })
      },
      (error: unknown) => this.#refuse(socket, error),
    )
  }

  /** The number of open sockets. */
  get count(): number {
    return this.#server?.clients.size ?? 0
  }

  /** Closes all sockets, and terminates those that do not complete the closing handshake within `graceMs`. */
  async close(graceMs: number): Promise<void> {
    const sockets = await this.#opened
    if (!sockets) return
    sockets.stopPings()
    const open = [...sockets.server.clients]
    const closed = open.map((socket) => new Promise((resolve) => socket.once('close', resolve)))
    for (const socket of open) socket.close(GOING_AWAY, 'The server is stopping')
    const timer = setTimeout(() => open.forEach((socket) => socket.terminate()), graceMs)
    await Promise.all(closed)
    clearTimeout(timer)
  }

  async #accept(
    incoming: IncomingMessage,
  ): Promise<{ accepted: AcceptedHandshake; server: WebSocketServer }> {
    const accepted = await acceptHandshake(incoming, this.#services.rules(), this.#services.failures)
    this.#opened ??= openSockets()
    this.#server = (await this.#opened).server
    return { accepted, server: this.#server }
  }

  /** Closes a socket when its permission ends. Returns the function that adds a check by new rules. */
  #holdPermission(
    webSocket: WebSocket,
    { permission, request }: AcceptedHandshake,
    incoming: IncomingMessage,
  ): (check: RenewalCheck) => void {
    const services = this.#services
    const end = () => {
      webSocket.removeAllListeners('message')
      webSocket.close(UNAUTHORIZED, 'Unauthorized')
    }
    const checks: RenewalCheck[] = []
    const check = async () => {
      const renewed = await admitHandshake(incoming, request, services.rules())
      await Promise.all(checks.map((one) => one(renewed.admission)))
      return renewed
    }
    webSocket.once('close', services.permissions.hold({ permission, check, end }))
    return (one) => void checks.push(one)
  }

  #handleSocket(
    webSocket: WebSocket,
    { handler, request, permission, params }: AcceptedHandshake,
    onRenewed: (check: RenewalCheck) => void,
  ): void {
    const { logger, enter } = this.#services
    emitWithin(webSocket, enter)
    const { user, admission } = permission
    const identify = async () => user ?? admission.identified
    webSocket.on('error', (error) => logger.debug({ err: error }, 'WebSocket closed after a protocol error'))
    const fail = (error: unknown) => {
      logger.error({ err: error }, 'WebSocket handler failed')
      webSocket.close(INTERNAL_ERROR, 'Internal server error')
    }
    try {
      const context = { user, identify, request, params, admission, onRenewed }
      Promise.resolve(enter(() => handler(webSocket, context))).catch(fail)
    } catch (error) {
      fail(error)
    }
  }

  #refuse(socket: Duplex, error: unknown): void {
    const refused = error instanceof AppError ? error : new AppError('internal', 'Internal server error')
    if (!(error instanceof AppError))
      this.#services.logger.error({ err: error }, 'WebSocket handshake failed')
    const body = errorEnvelope(refused.message)
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
      'X-Request-Id': this.#services.newId(),
      Connection: 'close',
      ...refused.headers,
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = `HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status]}\r\n${lines.join('')}\r\n`
    socket.end(head + body, () => socket.destroy())
  }
}

/** Messages arrive in no async context: their listeners run as the handler that added them. */
function emitWithin(webSocket: WebSocket, enter: UpgradeServices['enter']): void {
  const emit = webSocket.emit.bind(webSocket)
  webSocket.emit = (event: string | symbol, ...values: unknown[]) => enter(() => emit(event, ...values))
}

/** Imports `ws` with the first socket: many projects have none. */
async function openSockets(): Promise<OpenSockets> {
  const { WebSocketServer } = await import('ws')
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  })
  return { server, stopPings: keepAlive(server) }
}
