import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { freePort } from '../../test/support/process/free-port.ts'
import { REPOSITORY } from './project.ts'

const METER = path.join(import.meta.dirname, 'servers/meter.js')

export interface Running {
  readonly child: ChildProcess
  readonly url: string
  /** The time from the start of the process to its first response, in milliseconds. */
  readonly startedIn: number
  stop(signal?: NodeJS.Signals): Promise<void>
  /** What the process has used since its start. It must have been started with `metered`. */
  usage(): Promise<Usage & LoopUsage>
}

interface LoopUsage {
  /** The longest block of its event loop since the last call, in milliseconds; 0 if `BENCH_LOOP` is not set. */
  readonly longestTickMs: number
}

/** What a process has used since its start. */
export interface Usage {
  /** Processor time of all its threads, in microseconds. */
  readonly cpuUs: number
  /** The size of its heap, with what is not collected yet. */
  readonly heapBytes: number
  /** 0 if `BENCH_PROMISES` is not set in its environment. */
  readonly promises: number
  /** Of its files and connections. */
  readonly writtenBytes: number
}

interface StartOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** The path of the request that waits for the server. */
  readonly probe?: string
  /** The checkout whose command is started. Default: this one. */
  readonly repository?: string
  /** Whether {@link Running.usage} can be called. */
  readonly metered?: boolean
  /** Flags of Node.js. */
  readonly flags?: readonly string[]
}

/** Starts `agentserver <command>` on a free port and waits for its first response. */
export async function startServer(command: 'dev' | 'start', options: StartOptions): Promise<Running> {
  const port = await freePort()
  const bin = path.join(options.repository ?? REPOSITORY, 'bin/agentserver.js')
  return start([bin, command, '--port', String(port)], port, { probe: '/workflows', ...options })
}

/** Starts a server of `tools/`. Its argument is the port. */
export async function startOther(file: string, options: StartOptions): Promise<Running> {
  const port = await freePort()
  return start([path.join(import.meta.dirname, '../main.js'), file, String(port)], port, options)
}

async function start(
  args: string[],
  port: number,
  { cwd, env = {}, probe = '/', metered = false, flags = [] }: StartOptions,
): Promise<Running> {
  const startedAt = performance.now()
  const meter = metered ? ['--import', METER] : []
  const child = spawn(process.execPath, [...flags, ...meter, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe', ...(metered ? ['ipc' as const] : [])],
  })
  const errors: string[] = []
  child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk.toString()))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const url = `http://127.0.0.1:${port}`
  while (!(await answers(url + probe))) {
    if (child.exitCode !== null) throw new Error(`It did not start:\n${errors.join('')}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  return {
    child,
    url,
    startedIn: performance.now() - startedAt,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal)
      return ended
    },
    usage: () =>
      new Promise((resolve) => {
        child.once('message', (usage) => resolve(usage as Usage & LoopUsage))
        child.send('usage')
      }),
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok
  } catch {
    return false
  }
}

/** Resident memory of a process, in megabytes. */
export function memoryOf({ child }: Running): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024
}

/** Processor time of a process, in milliseconds. */
export function processorTimeOf({ child }: { readonly child: Pick<ChildProcess, 'pid'> }): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}
