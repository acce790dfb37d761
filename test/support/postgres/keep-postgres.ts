// Runs a Postgres server until its standard input ends, however the process at the other end was ended, and removes its
// data. Commands are lines: `stop` and `start`. Prints {"port":…} when the server accepts connections, and {"stopped":true}.
import { execFileSync, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../process/free-port.ts'
import { findBinaries, majorVersion } from './find-binaries.ts'
import { makeFolder, readableBinaries, serverUser } from './server-user.ts'

const PASSWORD = 'postgres'
const [settings = '{}'] = process.argv.slice(2)

// an interrupt in the terminal ends the test run, which ends this process
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

const user = serverUser()
const folder = makeFolder(user)
const data = path.join(folder, 'data')
const options = { ...user, cwd: folder, env: { PATH: process.env['PATH'], TZ: 'UTC', LC_ALL: 'C' } }
let server: ChildProcess | undefined
let port = 0

const lines = createInterface({ input: process.stdin })
lines.once('close', () => void end())
try {
  const binaries = readableBinaries(await findBinaries(), folder, user)
  initialize(binaries)
  port = await freePort()
  await start(binaries)
  lines.on('line', (line) => {
    const work = line === 'stop' ? stop() : start(binaries)
    work.catch((error: Error) => print({ error: error.message }))
  })
} catch (error) {
  print({ error: (error as Error).message })
  await end()
}

async function end(): Promise<void> {
  await stop()
  fs.rmSync(folder, { recursive: true, force: true })
  process.exit()
}

function initialize(binaries: string): void {
  const passwordFile = path.join(folder, 'password')
  fs.writeFileSync(passwordFile, PASSWORD)
  const args = [
    '-D',
    data,
    '-U',
    'postgres',
    '-A',
    'scram-sha-256',
    `--pwfile=${passwordFile}`,
    '-E',
    'UTF8',
    '--no-sync',
  ]
  const run = (more: readonly string[]) =>
    execFileSync(path.join(binaries, 'initdb'), [...args, ...more], { ...options, stdio: 'pipe' })
  if (majorVersion(binaries) < 15) return void run(['--locale=C'])
  try {
    // a collation in which `a` < `B` shows where the product forgot to ask for the order of bytes
    run(['--locale=C', '--locale-provider=icu', '--icu-locale=en'])
  } catch {
    fs.rmSync(data, { recursive: true, force: true })
    run(['--locale=C'])
  }
}

async function start(binaries: string): Promise<void> {
  const values = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    // tests kill the processes that use the server, never the machine that it runs on
    fsync: 'off',
    full_page_writes: 'off',
    ...(JSON.parse(settings) as Record<string, string>),
  }
  const args = Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(path.join(binaries, 'postgres'), ['-D', data, ...args], {
    ...options,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  server = child
  let log = ''
  const ready = new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log = `${log}${text}`.slice(-10_000)
      if (log.includes('ready to accept connections')) resolve()
    })
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`Postgres did not start:\n${log}`)))
  })
  await ready
  print({ port, password: PASSWORD })
}

/** The fast shutdown of Postgres: open connections are closed. */
async function stop(): Promise<void> {
  if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
  const exited = once(server, 'exit')
  server.kill('SIGINT')
  await exited
  print({ stopped: true })
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
