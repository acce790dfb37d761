import net from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { once } from 'node:events'

/** Answers to connections whose start has session settings: PgBouncer refuses them, or ignores them if it is told to. */
export type SettingsPolicy = 'refused' | 'ignored'

/** The part of PgBouncer that its clients notice: process ids of its own, and no settings of the session. */
export class Pooler {
  readonly url: string
  readonly #server: net.Server
  readonly #sockets = new Set<Socket>()

  private constructor(server: net.Server, url: string) {
    this.#server = server
    this.url = url
  }

  static async start(databaseUrl: string, policy: SettingsPolicy): Promise<Pooler> {
    const target = new URL(databaseUrl)
    const server = net.createServer((client) => pooler.#connect(client, target, policy))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = new URL(databaseUrl)
    url.port = String((server.address() as AddressInfo).port)
    const pooler = new Pooler(server, url.href)
    return pooler
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #connect(client: Socket, { hostname, port }: URL, policy: SettingsPolicy): void {
    const server = net.connect(Number(port), hostname)
    for (const socket of [client, server]) {
      this.#sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => [client, server].forEach((one) => one.destroy()))
    }
    client.once('data', (start) => {
      const settings = parameters(start)
      if (policy === 'refused' && settings.has('options'))
        return void client.end(errorResponse('08P01', 'unsupported startup parameter: options'))
      settings.delete('options')
      server.write(startup(settings))
      client.pipe(server)
    })
    server.on('data', (data) => client.write(withOtherProcessId(data)))
  }
}

/** The parameters of a startup message: length, protocol, then texts that end with a zero. */
function parameters(message: Buffer): Map<string, string> {
  const texts = message.toString('utf8', 8).split('\0')
  const pairs = new Map<string, string>()
  for (let index = 0; texts[index]; index += 2) pairs.set(texts[index] ?? '', texts[index + 1] ?? '')
  return pairs
}

function startup(pairs: ReadonlyMap<string, string>): Buffer {
  const texts = [...pairs].flatMap(([name, value]) => [name, value])
  const body = Buffer.from(`${texts.join('\0')}\0\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(8 + body.length, 0)
  head.writeInt32BE(3 << 16, 4)
  return Buffer.concat([head, body])
}

function errorResponse(code: string, message: string): Buffer {
  const body = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}

const KEY_DATA = Buffer.from([0x4b, 0, 0, 0, 12])

/** The message of the process id comes once, at the start of a connection. */
function withOtherProcessId(data: Buffer): Buffer {
  const at = data.indexOf(KEY_DATA)
  if (at !== -1 && at + 9 <= data.length && data.includes('server_version')) data.writeInt32BE(7, at + 5)
  return data
}
