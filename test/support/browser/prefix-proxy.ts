import { createServer, request } from 'node:http'
import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy that serves another server below a prefix, and strips it. */
export async function prefixProxy(
  target: string,
  prefix: string,
): Promise<{ url: string; close: () => void }> {
  const { hostname, port } = new URL(target)
  const onward = ({ method, url = '', headers }: IncomingMessage) =>
    request({
      hostname,
      port,
      method,
      path: url.slice(prefix.length),
      headers: { ...headers, host: `${hostname}:${port}` },
    })
  const server: Server = createServer((incoming, reply) => {
    if (!incoming.url?.startsWith(`${prefix}/`)) return void reply.writeHead(404).end()
    const asked = onward(incoming)
    asked.on('response', (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(reply)
    })
    asked.on('error', () => reply.destroy())
    incoming.pipe(asked)
  })
  server.on('upgrade', (incoming, socket) => {
    const asked = onward(incoming)
    asked.on('upgrade', (answer, far) => {
      const lines = answer.rawHeaders.flatMap((name, index) =>
        index % 2 === 0 ? [`${name}: ${answer.rawHeaders[index + 1]}`] : [],
      )
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`)
      far.pipe(socket).pipe(far)
      far.on('error', () => socket.destroy())
      socket.on('error', () => far.destroy())
    })
    asked.on('error', () => socket.destroy())
    asked.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`, close }
}
