import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import path from 'node:path'
import { REPOSITORY } from '../bench/project.ts'

export interface Server {
  /** Kills the process and returns the time of its end. */
  kill(): Promise<number>
  /** The end of what it has printed to stderr. */
  errors(): string
}

/** Starts `agentserver start`, without waiting until it listens. What it prints to stderr is added to `server.log`. */
export function startServer(root: string, port: number, env: Readonly<Record<string, string>> = {}): Server {
  const args = [path.join(REPOSITORY, 'bin/agentserver.js'), 'start', '--port', String(port)]
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (text: Buffer) => {
    errors = `${errors}${text.toString()}`.slice(-10_000)
    appendFileSync(path.join(root, 'server.log'), text)
  })
  return {
    errors: () => errors,
    kill: async () => {
      if (child.exitCode !== null) throw new Error(`The server ended by itself:\n${errors}`)
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await ended
      return performance.timeOrigin + performance.now()
    },
  }
}
