import net from 'node:net'

/** A connection through the proxy. */
interface Tunnel {
  readonly client: net.Socket
  readonly server: net.Socket
}

/** The first bytes of messages from the server. */
const NOTIFICATION = 'A'.charCodeAt(0)
const BACKEND_KEY = 'K'.charCodeAt(0)

/** A TCP proxy before a Postgres, with the faults of networks and connection poolers. */
export class DatabaseProxy {
  /** URL of the database through the proxy. */
  readonly url: string
  readonly #listener: net.Server
  readonly #dropsNotifications: boolean
  readonly #tunnels = new Set<Tunnel>()
  #lostAnswers: { readonly to: RegExp; left: number } | undefined
  #cuts = 0
  /** How many answers were lost. */
  lost = 0

  private constructor(listener: net.Server, target: string, dropsNotifications: boolean) {
    const { port } = listener.address() as net.AddressInfo
    const url = new URL(target)
    url.hostname = '127.0.0.1'
    url.port = String(port)
    this.url = url.href
    this.#listener = listener
    this.#dropsNotifications = dropsNotifications
    listener.on('connection', (client) => this.#connect(client, new URL(target)))
  }

  /** `dropsNotifications`: notifications of the server are dropped, as by a pooler in transaction mode. */
  static async listen(target: string, { dropsNotifications = false } = {}): Promise<DatabaseProxy> {
    const listener = net.createServer()
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    return new DatabaseProxy(listener, target, dropsNotifications)
  }

  /**
   * The next `count` requests with a text that matches are carried out, but their connections break before the answer
   * has arrived.
   */
  loseAnswers(to: RegExp, count: number): void {
    this.#lostAnswers = { to, left: count }
  }

  /** Breaks all connections, and refuses others until the returned function is called. */
  cut(): () => void {
    this.#cuts++
    for (const tunnel of this.#tunnels) breakOff(tunnel)
    return () => void this.#cuts--
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#listener.close(resolve))
    for (const tunnel of this.#tunnels) breakOff(tunnel)
    await closed
  }

  #connect(client: net.Socket, { hostname, port }: URL): void {
    if (this.#cuts > 0) return void client.destroy()
    const server = net.connect({ host: hostname, port: Number(port) })
    const tunnel = { client, server }
    this.#tunnels.add(tunnel)
    let answerIsLost = false
    const messages = new ServerMessages()
    client.on('data', (data) => {
      const lost = this.#lostAnswers
      if (lost && lost.left > 0 && lost.to.test(data.toString('latin1'))) {
        lost.left--
        answerIsLost = true
      }
      server.write(data)
    })
    server.on('data', (data) => {
      if (answerIsLost) {
        this.lost++
        breakOff(tunnel)
      } else if (this.#dropsNotifications) {
        for (const message of messages.read(data)) {
          // poolers give the process id of a session of their own
          if (message[0] === BACKEND_KEY) message.writeInt32BE(1, 5)
          if (message[0] !== NOTIFICATION) client.write(message)
        }
      } else client.write(data)
    })
    for (const socket of [client, server]) {
      socket.setNoDelay(true)
      socket.on('error', () => breakOff(tunnel))
      socket.on('close', () => {
        breakOff(tunnel)
        this.#tunnels.delete(tunnel)
      })
    }
  }
}

function breakOff({ client, server }: Tunnel): void {
  client.destroy()
  server.destroy()
}

/** Divides what a server sends into messages: a type byte, and the length of the rest. */
class ServerMessages {
  #rest = Buffer.alloc(0)

  read(data: Buffer): Buffer[] {
    const messages: Buffer[] = []
    let buffer = Buffer.concat([this.#rest, data])
    while (buffer.length >= 5) {
      const length = 1 + buffer.readUInt32BE(1)
      if (buffer.length < length) break
      messages.push(buffer.subarray(0, length))
      buffer = buffer.subarray(length)
    }
    this.#rest = buffer
    return messages
  }
}
