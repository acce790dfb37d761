import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Page } from 'playwright-core'
import { freePort } from '../../test/support/process/free-port.ts'
import { until } from '../../test/support/until.ts'
import { BenchBrowser } from '../bench/console-page.ts'
import { makeProject, removeProject, REPOSITORY } from '../bench/project.ts'
import { checkEncoder, CONSOLE, PARTS, SCALE, writeClip } from './clip-frames.ts'
import type { Frame } from './clip-frames.ts'

const CONFIG = 'agentserver.config.ts'
const INPUT = '{"orderId":"A-1","amount":250}'
const BIN = path.join(REPOSITORY, 'bin/agentserver.js')
/** The lines of `dev` that the clip has room for: none with a path or a time of the machine. */
const SHOWN = /Home|reloaded/

/** Records the clip of the README in both themes: a save, a run, a `kill -9`, a start, and an approval. */
export async function recordClips(folder: string): Promise<void> {
  checkEncoder()
  for (const theme of ['dark', 'light'] as const) {
    const root = makeProject({
      [CONFIG]: fs.readFileSync(path.join(import.meta.dirname, 'clip', CONFIG), 'utf8'),
    })
    const port = await freePort()
    const serving: string[] = []
    const servers = [await serve(root, port, serving)]
    const browser = await BenchBrowser.launch(`http://127.0.0.1:${port}`)
    try {
      const how = { colorScheme: theme, viewport: CONSOLE, deviceScaleFactor: SCALE }
      const page = await browser.open('executions', how)
      const frames = await film(page, { root, port, servers, serving })
      const file = path.join(folder, `clip-${theme}.webp`)
      const stage = await page.context().browser()?.newPage({ deviceScaleFactor: SCALE })
      if (!stage) throw new Error('The page has no browser')
      await writeClip(stage, frames, theme, file)
      process.stdout.write(`${path.relative(REPOSITORY, file)}: ${frames.length} frames\n`)
    } finally {
      await browser.close()
      for (const server of servers) server.kill('SIGKILL')
      removeProject(root)
    }
  }
}

interface Scene {
  readonly root: string
  readonly port: number
  /** The one that is killed, and its successor. */
  readonly servers: ChildProcess[]
  readonly serving: string[]
}

/** Plays the scene, and takes a picture of the console whenever it has changed. */
async function film(page: Page, { root, port, servers, serving }: Scene): Promise<Frame[]> {
  const frames: Frame[] = []
  const typing: string[] = []
  let part = -1
  let ends = false
  const camera = (async () => {
    while (!ends) {
      const seen = { part, serving: [...serving], typing: [...typing] }
      const frame = { ...seen, at: performance.now(), console: await page.screenshot() }
      const last = frames.at(-1)
      if (last === undefined || !isSame(last, frame)) frames.push(frame)
    }
  })()
  const begin = async (name: (typeof PARTS)[number], line?: string) => {
    part = PARTS.indexOf(name)
    if (line !== undefined) typing.push(`$ ${line}`)
    await page.waitForTimeout(900)
  }

  try {
    await page.waitForTimeout(600)
    await begin('save', `sed -i 's/LIMIT = 100/LIMIT = 50/' ${CONFIG}`)
    const config = path.join(root, CONFIG)
    fs.writeFileSync(config, fs.readFileSync(config, 'utf8').replace('LIMIT = 100', 'LIMIT = 50'))
    await until(() => serving.some((line) => line.includes('reloaded')))
    await begin('reloaded')
    await begin('run', `npx agentserver run-workflow refund --execution-id refund-1 --input '${INPUT}' &`)
    const run = agentserver(root, ['run-workflow', 'refund', '--execution-id', 'refund-1', '--input', INPUT])
    run.stderr?.on('data', (text: Buffer) =>
      typing.push(...linesOf(text).filter((line) => /^[✗⏸]/u.test(line))),
    )
    await page.getByText('"orderId":"A-1"').first().click()
    await page.getByText('check-risk').first().waitFor()
    await page.waitForTimeout(1500)
    const [server] = servers
    await begin('kill -9', `kill -9 ${server?.pid}`)
    server?.kill('SIGKILL')
    serving.push('Killed')
    await page.waitForTimeout(1500)
    part = PARTS.indexOf('start')
    servers.push(await serve(root, port, serving))
    await begin('it continues')
    const approve = page.getByRole('button', { name: 'Approve', exact: true })
    await approve.waitFor({ timeout: 60_000 })
    await page.waitForTimeout(1500)
    await begin('approve')
    await approve.click()
    await page.getByText('note').first().waitFor()
    await page.waitForTimeout(3000)
  } finally {
    ends = true
    await camera
  }
  return frames
}

function isSame(a: Frame, b: Frame): boolean {
  const state = ({ part, serving, typing }: Frame) => JSON.stringify({ part, serving, typing })
  return state(a) === state(b) && a.console.equals(b.console)
}

/** Starts `dev` and waits until it is ready; what it prints is added to the lines. */
async function serve(root: string, port: number, lines: string[]): Promise<ChildProcess> {
  lines.push('$ npx agentserver dev')
  const server = agentserver(root, ['dev', '--port', String(port)])
  const from = lines.length
  const add = (text: Buffer) => lines.push(...linesOf(text).filter((line) => SHOWN.test(line)))
  server.stdout?.on('data', add)
  server.stderr?.on('data', add)
  await until(() => lines.slice(from).some((line) => line.includes('Home')))
  return server
}

function agentserver(root: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [BIN, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
}

function linesOf(text: Buffer): string[] {
  return stripVTControlCharacters(text.toString())
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
}
