import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
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
  /** The end of what it has printed to stderr. */
  errors(): string
}

export interface ServerOptions {
  /** `dev` reloads the configuration when it is saved. */
  readonly command: 'start' | 'dev'
  readonly root: string
  readonly port: number
  readonly env?: Readonly<Record<string, string>>
  /** The checkout whose build is started. Default: this one. */
  readonly repository?: string | undefined
}

/** Starts a server, without waiting until it listens. What it prints to stderr is added to `server.log`. */
export function startServer({ command, root, port, env, repository = REPOSITORY }: ServerOptions): Server {
  const args = [path.join(repository, 'bin/agentserver.js'), command, '--port', String(port)]
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = new Promise<number>((resolve) => {
    child.once('exit', () => resolve(performance.timeOrigin + performance.now()))
  })
  let errors = ''
  child.stderr.on('data', (text: Buffer) => {
    errors = `${errors}${text.toString()}`.slice(-10_000)
    appendFileSync(path.join(root, 'server.log'), text)
  })
  const mustLive = () => {
    if (child.exitCode !== null) throw new Error(`The server ended by itself:\n${errors}`)
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
      child.kill('SIGTERM')
      await Promise.race([exited, wait(graceMs)])
      child.kill('SIGKILL')
      const at = await exited
      if (child.exitCode !== null && child.exitCode !== 0)
        throw new Error(`The server ended with code ${child.exitCode} after SIGTERM:\n${errors}`)
      return at
    },
    pause: async (forMs) => {
      child.kill('SIGSTOP')
      await Promise.race([exited, wait(forMs)])
      child.kill('SIGCONT')
    },
    errors: () => errors,
  }
}
