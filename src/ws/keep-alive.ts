import type { WebSocket, WebSocketServer } from 'ws'

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
