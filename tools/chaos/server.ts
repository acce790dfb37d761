import { execFileSync, spawn } from 'node:child_process'
import { appendFileSync, readdirSync } from 'node:fs'
import http from 'node:http'
import type { Readable } from 'node:stream'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { REPOSITORY } from '../bench/project.ts'

export interface Server {
  /** Ends the process with SIGKILL and returns the time of its end. */
  kill(): Promise<number>
  /** Ends the process with SIGTERM, or with SIGKILL after `graceMs`, and returns the time of its end. */
  terminate(graceMs: number): Promise<number>
  /** Stops the process with SIGSTOP, for `forMs`. */
  pause(forMs: number): Promise<void>
  /** Waits for the end that the process brings about by itself, or ends it with SIGKILL after `graceMs`. Returns the time. */
  poisoned(graceMs: number): Promise<number>
  /**
   * Lets the process open no more files, or write none, for `forMs`. Returns whether it had to refuse a connection. Linux
   * only.
   */
  limit(resource: Resource, forMs: number): Promise<boolean>
  /** @throws Error when the process has ended by itself, and not by a poison. */
  mustHaveBeenEnded(): void
  /** Whether the process has not ended. */
  isAlive(): boolean
  /** Calls back with the time when a poison has ended the process. */
  onPoisoned(callback: (at: number) => void): void
  /** The end of what it has printed to stderr. */
  errors(): string
}

/** The exit code of a process that a poison has ended. */
export const POISONED = 7

/** What a process may be deprived of: descriptors, or the growth of files. */
export type Resource = 'files' | 'full'

export interface ServerOptions {
  /** `dev` reloads the configuration when it is saved. */
  readonly command: 'start' | 'dev'
  readonly root: string
  readonly port: number
  /** Its number, where there are several; in its notes. */
  readonly machine?: number | undefined
  readonly env?: Readonly<Record<string, string>>
  /** The checkout whose build is started. Default: this one. */
  readonly repository?: string | undefined
}

/**
 * Starts a server, without waiting until it listens. What it prints to stderr is added to `server.log`, and what it writes
 * to its descriptor 3 to `notes.log`, which no limit of the process can hinder.
 */
export function startServer(options: ServerOptions): Server {
  const { command, root, port, machine = 0, env, repository = REPOSITORY } = options
  const args = [path.join(repository, 'bin/agentserver.js'), command, '--port', String(port)]
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  let at = 0
  child.once('exit', () => (at = performance.timeOrigin + performance.now()))
  // when all that it has written was read, too
  const exited = new Promise<number>((resolve) => {
    child.once('close', () => resolve(at))
  })
  let errors = ''
  const [, , stderr, notes] = child.stdio as unknown as [null, null, Readable, Readable]
  let line = ''
  notes.on('data', (text: Buffer) => {
    // whole lines: there may be other machines
    const lines = `${line}${text.toString()}`.split('\n')
    line = lines.pop() ?? ''
    appendFileSync(path.join(root, 'notes.log'), lines.map((one) => `${one} ${machine}\n`).join(''))
  })
  stderr.on('data', (text: Buffer) => {
    errors = `${errors}${text.toString()}`.slice(-10_000)
    appendFileSync(path.join(root, 'server.log'), text)
  })
  const isAlive = () => child.exitCode === null && child.signalCode === null
  let isTerminated = false
  const mustLive = () => {
    if (child.exitCode !== null && child.exitCode !== POISONED && !isTerminated)
      throw new Error(`The server ended by itself:\n${errors}`)
  }
  const kill = () => {
    mustLive()
    child.kill('SIGKILL')
    return exited
  }
  return {
    kill,
    terminate: async (graceMs) => {
      mustLive()
      isTerminated = true
      child.kill('SIGTERM')
      await Promise.race([exited, wait(graceMs)])
      child.kill('SIGKILL')
      const at = await exited
      if (child.exitCode !== null && child.exitCode !== 0 && child.exitCode !== POISONED)
        throw new Error(`The server ended with code ${child.exitCode} after SIGTERM:\n${errors}`)
      return at
    },
    pause: async (forMs) => {
      child.kill('SIGSTOP')
      await Promise.race([exited, wait(forMs)])
      child.kill('SIGCONT')
    },
    poisoned: async (graceMs) => {
      await Promise.race([exited, wait(graceMs)])
      return kill()
    },
    limit: async (resource, forMs) => {
      const { pid } = child
      if (pid === undefined || !isAlive()) return false
      setLimit(pid, resource, resource === 'files' ? openDescriptors(pid) : 1)
      const refused = resource === 'files' ? refusesConnection(port) : Promise.resolve(false)
      await Promise.race([exited, wait(forMs)])
      const wasAlive = isAlive()
      if (wasAlive) setLimit(pid, resource, undefined)
      return wasAlive && (await refused)
    },
    isAlive,
    mustHaveBeenEnded: mustLive,
    onPoisoned: (callback) => {
      child.once('close', (code) => {
        if (code === POISONED) callback(at)
      })
    },
    errors: () => errors,
  }
}

const OPTIONS: Readonly<Record<Resource, string>> = { files: '--nofile', full: '--fsize' }

/** Sets a soft limit of a process. `undefined`: to what this process has. */
function setLimit(pid: number, resource: Resource, value: number | undefined): void {
  const option = OPTIONS[resource]
  const soft =
    value ?? execFileSync('prlimit', [option, '--output=SOFT', '--noheadings', '--raw']).toString().trim()
  execFileSync('prlimit', ['--pid', String(pid), `${option}=${soft}:`])
}

/** Whether a server that listens ends a new connection without an answer. */
function refusesConnection(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = http.get({ port, host: '127.0.0.1', path: '/readyz', agent: false, timeout: RESPONSE_MS })
    request.once('response', (response) => {
      response.resume()
      resolve(false)
    })
    request.once('timeout', () => {
      resolve(false)
      request.destroy()
    })
    request.once('error', (error) => resolve((error as NodeJS.ErrnoException).code === 'ECONNRESET'))
  })
}

/** How long a response may take, in milliseconds. */
const RESPONSE_MS = 5000

function openDescriptors(pid: number): number {
  return Math.max(...readdirSync(`/proc/${pid}/fd`).map(Number)) + 1
}
