import { createServer, request } from 'node:http'
import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export interface PrefixProxy {
  readonly url: string
  /** Ends all connections, and refuses new ones until `restore` is called. */
  readonly cut: () => void
  readonly restore: () => void
  readonly close: () => void
}

/** A proxy that serves another server below a prefix, which it strips. */
export async function prefixProxy(target: string, prefix: string): Promise<PrefixProxy> {
  const { hostname, port } = new URL(target)
  const forward = ({ method, url = '', headers }: IncomingMessage) =>
    request({
      hostname,
      port,
      method,
      path: url.slice(prefix.length),
      headers,
    })
  const server: Server = createServer((incoming, reply) => {
    if (!incoming.url?.startsWith(`${prefix}/`)) return void reply.writeHead(404).end()
    const upstream = forward(incoming)
    upstream.on('response', (response) => {
      reply.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(reply)
    })
    upstream.on('error', () => reply.destroy())
    reply.on('close', () => upstream.destroy())
    incoming.pipe(upstream)
  })
  server.on('upgrade', (incoming, socket) => {
    const upstream = forward(incoming)
    upstream.on('upgrade', (response, remote) => {
      const lines = response.rawHeaders.flatMap((name, index) =>
        index % 2 === 0 ? [`${name}: ${response.rawHeaders[index + 1]}`] : [],
      )
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`)
      remote.pipe(socket).pipe(remote)
      remote.on('error', () => socket.destroy())
      socket.on('error', () => remote.destroy())
    })
    upstream.on('error', () => socket.destroy())
    upstream.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const sockets = new Set<Socket>()
  let isCut = false
  server.on('connection', (socket) => {
    if (isCut) return socket.destroy()
    sockets.add(socket)
    return socket.on('close', () => sockets.delete(socket))
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    cut: () => {
      isCut = true
      for (const socket of sockets) socket.destroy()
    },
    restore: () => {
      isCut = false
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
