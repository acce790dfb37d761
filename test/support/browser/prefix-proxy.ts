import { createServer, request } from 'node:http'
import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { json } from 'node:stream/consumers'

export interface PrefixProxy {
  readonly url: string
  /** Ends all connections, and refuses new ones until `restore` is called. */
  readonly cut: () => void
  readonly restore: () => void
  readonly close: () => void
}

/** What a proxy changes in the API of the server. */
export interface ApiChanges {
  /** Whether a path is not found. */
  readonly lacks: (pathname: string) => boolean
  /** Returns the body of a response as JSON instead of the one of the server. */
  readonly body: (pathname: string, body: any) => unknown
}

/** A proxy that serves another server below a prefix, which it strips. */
export async function prefixProxy(
  target: string,
  prefix: string,
  changes?: ApiChanges,
): Promise<PrefixProxy> {
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
    const { pathname } = new URL(incoming.url.slice(prefix.length), target)
    const changed = pathname.startsWith('/console/') ? undefined : changes
    if (changed?.lacks(pathname)) {
      const error = `Route not found: ${incoming.method} ${pathname}`
      return void reply
        .writeHead(404, { 'content-type': 'application/json' })
        .end(JSON.stringify({ success: false, error }))
    }
    if (changed) delete incoming.headers['accept-encoding']
    const upstream = forward(incoming)
    upstream.on('response', (response) => {
      const { statusCode = 502, headers } = response
      if (changed && headers['content-type']?.includes('json')) {
        delete headers['content-length']
        const send = (body: unknown) =>
          reply.writeHead(statusCode, headers).end(JSON.stringify(changed.body(pathname, body)))
        void json(response).then(send, () => reply.destroy())
      } else {
        reply.writeHead(statusCode, headers)
        response.pipe(reply)
      }
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
