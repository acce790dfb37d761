import { connect } from 'node:net'
import type { Socket } from 'node:net'

/** Sends bytes as they are, and gives all that comes back until the server closes or `ms` have passed. */
export function rawRequest(port: number, bytes: string | Iterable<string>, ms = 2000): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket: Socket = connect(port, '127.0.0.1')
    const done = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer)
    }
    const timer = setTimeout(done, ms)
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')))
    socket.on('close', done)
    // the server may hang up before it has read everything
    socket.on('error', () => undefined)
    void send(socket, typeof bytes === 'string' ? [bytes] : bytes)
  })
}

async function send(socket: Socket, pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return
    if (!socket.write(piece))
      await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve))
  }
}
