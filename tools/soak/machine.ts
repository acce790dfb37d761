import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, closeSync, openSync } from 'node:fs'
import path from 'node:path'
import { freePort } from '../../test/support/process/free-port.ts'
import { until } from '../../test/support/until.ts'
import { REPOSITORY } from '../bench/project.ts'
import type { Figure, Sample } from './figures.ts'

const GAUGE = path.join(import.meta.dirname, 'gauge.js')

/** The folder of the project for what the harness writes. The project's own is watched: each change would be looked at. */
export const LOGS = 'soak'

/** How long a server may take to start, to answer a sample, and to end after SIGTERM, in milliseconds. */
const START_MS = 60_000
const SAMPLE_MS = 30_000
const STOP_MS = 30_000

export interface MachineOptions {
  /** `dev` reloads the configuration when it is saved. */
  readonly command: 'start' | 'dev'
  readonly root: string
  readonly env: Readonly<Record<string, string>>
}

/** What one server holds. */
export type Reading = Partial<Record<Figure, number>> & Pick<Sample, 'kinds'>

/** A process of the built server that answers what it holds. What it prints is added to `soak/server.log`. */
export class Machine {
  readonly url: string
  readonly #child: ChildProcess
  readonly #exited: Promise<void>
  #isLeaving = false
  #log = ''

  private constructor({ command, root, env }: MachineOptions, port: number) {
    this.url = `http://127.0.0.1:${port}`
    const bin = path.join(REPOSITORY, 'bin/agentserver.js')
    // where the steps note what they do, which nobody reads here
    const notes = openSync('/dev/null', 'w')
    this.#child = spawn(
      process.execPath,
      ['--expose-gc', '--import', GAUGE, bin, command, '--port', String(port)],
      {
        cwd: root,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'ignore', 'pipe', notes, 'ipc'],
        // an interrupt in the terminal goes to the harness only, which then ends this
        detached: true,
      },
    )
    closeSync(notes)
    this.#exited = new Promise((resolve) => this.#child.once('exit', () => resolve()))
    this.#child.stderr?.on('data', (text: Buffer) => {
      this.#log = `${this.#log}${text.toString()}`.slice(-10_000)
      appendFileSync(path.join(root, LOGS, 'server.log'), text)
    })
  }

  /** Starts a server, and waits until it is ready. */
  static async start(options: MachineOptions): Promise<Machine> {
    const machine = new Machine(options, await freePort())
    try {
      await until(
        () => machine.#isReady(),
        () => `the server to start:\n${machine.#log}`,
        START_MS,
      )
    } catch (error) {
      machine.#child.kill('SIGKILL')
      throw error
    }
    return machine
  }

  /** It was asked to end, or has ended: requests to it may fail. */
  get isLeaving(): boolean {
    return this.#isLeaving
  }

  /** Ends it with SIGTERM. Rejects when it does not end by itself, or in disorder. */
  async stop(): Promise<void> {
    this.#isLeaving = true
    this.#child.kill('SIGTERM')
    const late = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS)
    await this.#exited
    clearTimeout(late)
    const { exitCode } = this.#child
    if (exitCode !== 0)
      throw new Error(
        exitCode === null
          ? `The server did not end within ${STOP_MS / 1000} s after SIGTERM`
          : `The server ended with code ${exitCode}:\n${this.#log}`,
      )
  }

  /** What it holds, after a garbage collection. */
  async read(): Promise<Reading> {
    const reading = await new Promise<Reading>((resolve, reject) => {
      const onExit = () => reject(new Error(`The server ended by itself:\n${this.#log}`))
      const late = setTimeout(() => reject(new Error('The server answers no sample')), SAMPLE_MS)
      this.#child.once('exit', onExit)
      this.#child.once('message', (message) => {
        clearTimeout(late)
        this.#child.off('exit', onExit)
        resolve(message as Reading)
      })
      if (this.#child.exitCode === null) this.#child.send('sample')
      else onExit()
    })
    return reading
  }

  async #isReady(): Promise<boolean> {
    if (this.#child.exitCode !== null) throw new Error(`The server did not start:\n${this.#log}`)
    return fetch(`${this.url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  }
}
