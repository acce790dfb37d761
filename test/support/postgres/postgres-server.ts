import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

interface Line {
  readonly port?: number
  readonly password?: string
  readonly stopped?: boolean
  readonly error?: string
}

/**
 * A Postgres server of its own, on a free port of this machine. It is stopped and removed when this process ends, however
 * it ends. `settings` are those of postgresql.conf.
 */
export class PostgresServer {
  readonly #keeper: ChildProcess
  readonly #waiting: ((line: Line) => void)[] = []
  /** URL of the database `postgres`, with the rights of a superuser. */
  url = ''

  private constructor(settings: Readonly<Record<string, string>>) {
    const loader = new URL('../process/run-typescript.mjs', import.meta.url).href
    const script = fileURLToPath(new URL('keep-postgres.ts', import.meta.url))
    this.#keeper = spawn(process.execPath, ['--import', loader, script, JSON.stringify(settings)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      // an interrupt in the terminal goes to the tests only, which then end this
      detached: true,
    })
    const { stdout } = this.#keeper
    if (stdout)
      createInterface({ input: stdout }).on('line', (text) => this.#onLine(JSON.parse(text) as Line))
    this.#keeper.once('exit', () => this.#onLine({ error: 'The process that keeps Postgres has ended' }))
  }

  static async launch(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
    const server = new PostgresServer(settings)
    const { port, password } = await server.#next()
    server.url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
    return server
  }

  /** Stops it; its data and its port are kept for `start`. */
  async stop(): Promise<void> {
    await this.#command('stop')
  }

  /** Starts it again after `stop`. */
  async start(): Promise<void> {
    await this.#command('start')
  }

  /** Stops it for good and removes its data. */
  async remove(): Promise<void> {
    if (this.#keeper.exitCode !== null) return
    const exited = once(this.#keeper, 'exit')
    this.#keeper.stdin?.end()
    await exited
  }

  #command(line: 'stop' | 'start'): Promise<Line> {
    this.#keeper.stdin?.write(`${line}\n`)
    return this.#next()
  }

  async #next(): Promise<Line> {
    const line = await new Promise<Line>((resolve) => this.#waiting.push(resolve))
    if (line.error !== undefined) throw new Error(line.error)
    return line
  }

  #onLine(line: Line): void {
    this.#waiting.shift()?.(line)
  }
}
