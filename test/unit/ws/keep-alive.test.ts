import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { WebSocketServer } from 'ws'
import { keepAlive } from '../../../src/ws/upgrades.ts'

class Socket extends EventEmitter {
  pings = 0
  isTerminated = false
  ping = () => void this.pings++
  terminate = () => void (this.isTerminated = true)
}

class Server extends EventEmitter {
  readonly clients = new Set<Socket>()
  connect(): Socket {
    const socket = new Socket()
    this.clients.add(socket)
    this.emit('connection', socket)
    return socket
  }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

it('a client that misses two pings is terminated', () => {
  const server = new Server()
  keepAlive(server as unknown as WebSocketServer)
  const [silent, alive] = [server.connect(), server.connect()]
  for (let ping = 0; ping < 5; ping++) {
    vi.advanceTimersByTime(30_000)
    alive.emit('pong')
  }
  expect([silent.pings, silent.isTerminated]).toEqual([2, true])
  expect([alive.pings, alive.isTerminated]).toEqual([5, false])
})

it('pings end when the returned function is called', () => {
  const server = new Server()
  const stop = keepAlive(server as unknown as WebSocketServer)
  const socket = server.connect()
  stop()
  vi.advanceTimersByTime(120_000)
  expect(socket.pings).toBe(0)
})
