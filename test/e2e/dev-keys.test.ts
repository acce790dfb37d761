import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { DevProject, GREETING, greetingOf } from '../support/project/dev-project.ts'

const BIN = fileURLToPath(new URL('../../bin/agentserver.js', import.meta.url))
/** The `script` program of util-linux runs a command in a new terminal. Other versions have other options. */
const HAS_TERMINALS = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux')

/** `agentserver dev` in a terminal, started by a shell. */
class DevTerminal {
  readonly #process
  #output = ''

  constructor(project: DevProject, args: string) {
    const dev = `"${process.execPath}" "${BIN}" dev --port 0 ${args}`
    const command = `set -m; ${dev}; code=$?
      if [ $code -gt 128 ]; then echo "the job has stopped"; fg; code=$?; fi
      echo "exit code $code"; stty -a`
    const openers = project.path('openers')
    this.#process = execa('script', ['-qec', command, '/dev/null'], {
      cwd: project.root,
      reject: false,
      env: { NO_COLOR: '1', SHELL: '/bin/sh', PATH: `${openers}${path.delimiter}${process.env['PATH']}` },
    })
    this.#process.stdout.on('data', (text: Buffer) => (this.#output += text.toString()))
  }

  get output(): string {
    return this.#output
  }

  get url(): string {
    return /Home +(http:\S+)/.exec(this.#output)?.[1] ?? ''
  }

  press(keys: string): void {
    this.#process.stdin.write(keys)
  }

  async shows(text: RegExp): Promise<void> {
    await until(
      () => text.test(this.#output),
      () => `${String(text)} in: ${this.#output}`,
    )
  }

  /** Presses keys and returns the output until it matches `text`. */
  async outputAfter(keys: string, text: RegExp): Promise<string> {
    const from = this.#output.length
    this.press(keys)
    await until(
      () => text.test(this.#output.slice(from)),
      () => `${String(text)} after ${JSON.stringify(keys)} in: ${this.#output.slice(from)}`,
    )
    return this.#output.slice(from)
  }

  /** The exit code, when the terminal is back in line mode. */
  async exitCode(): Promise<number> {
    await this.shows(/exit code \d+[\s\S]*[^-]icanon/)
    await this.#process
    return Number(/exit code (\d+)/.exec(this.#output)?.[1])
  }

  kill(): void {
    this.#process.kill('SIGKILL')
  }
}

describe.runIf(HAS_TERMINALS)('dev in a terminal', () => {
  const project = new DevProject({
    ...GREETING,
    'openers/xdg-open': '#!/bin/sh\necho "$@" >> opened.txt\n',
  })
  let terminal: DevTerminal

  const start = async (args = '') => {
    terminal = new DevTerminal(project, args)
    await terminal.shows(/press h for keyboard shortcuts/)
  }
  const opened = () => (fs.existsSync(project.path('opened.txt')) ? project.read('opened.txt') : '')

  beforeAll(() => {
    fs.chmodSync(project.path('openers/xdg-open'), 0o755)
    return start('--open')
  })
  afterAll(async () => {
    terminal.kill()
    await project.end()
  })

  it('opens the console with --open and on o', async () => {
    await until(() => opened() !== '', 'the console to be opened')
    terminal.press('o')
    await until(() => opened().split('\n').length > 2, 'the console to be opened again')
    const token = project.read('.agentserver/token').trim()
    expect(opened()).toBe(`${terminal.url}console/#token=${token}\n`.repeat(2))
  })

  it.each(['h', '?'])('shows keyboard shortcuts on %s', async (key) => {
    const help = await terminal.outputAfter(key, /show keyboard shortcuts/)
    for (const line of [/^ +r +reload all files/m, /^ +o +open/m, /^ +c +clear/m, /^ +q +quit/m])
      expect(help).toMatch(line)
  })

  it('reloads all files on r', async () => {
    expect(await terminal.outputAfter('r', /generation/)).toMatch(
      /✓ reloaded → 2 modules, \d+ ms, generation 2/,
    )
  })

  it('clears the screen on c', async () => {
    expect(await terminal.outputAfter('c', /\[H$/)).toBe('\u{1B}[2J\u{1B}[3J\u{1B}[H')
  })

  it('ignores other keys and keeps reloading', async () => {
    terminal.press('x\u{1B}[A\u{1B}Oq\r')
    project.write({ 'src/greeting.ts': greetingOf('good morning') })
    const output = await terminal.outputAfter('', /generation \d/)
    expect(output).toMatch(/✓ reloaded src\/greeting\.ts → 2 modules, \d+ ms, generation 3/)
  })

  it('stops on Ctrl-Z and continues with fg', async () => {
    await terminal.outputAfter('\u{1A}', /the job has stopped[\s\S]*press h for keyboard shortcuts/)
    expect(await terminal.outputAfter('r', /generation \d/)).toMatch(/generation 4/)
  })

  it('quits on q and restores the terminal', async () => {
    terminal.press('q')
    expect(await terminal.exitCode()).toBe(0)
    expect(fs.existsSync(project.path('.agentserver/server.json'))).toBe(false)
  })

  it('quits on Ctrl-C', async () => {
    await start()
    terminal.press('\u{3}')
    expect(await terminal.exitCode()).toBe(0)
  })

  it('does not read from the terminal in the background', async () => {
    terminal = new DevTerminal(project, '& wait')
    await until(() => terminal.url !== '', 'the banner')
    terminal.press('q\r')
    expect((await fetch(new URL('/greeting', terminal.url))).status).toBe(200)
    await terminal.shows(/q\r\n/)
    const { pid } = JSON.parse(project.read('.agentserver/server.json')) as { pid: number }
    process.kill(pid, 'SIGTERM')
    expect(await terminal.exitCode()).toBe(0)
    expect(terminal.output).not.toContain('press h')
  })

  it('prints the URL if no browser can be opened', async () => {
    project.writeInPlace('openers/xdg-open', '#!/bin/sh\nexit 3\n')
    await start()
    const note = await terminal.outputAfter('o', /Could not open a browser.*\r\n/)
    expect(note).toContain(`Could not open a browser (xdg-open exited with code 3). Open ${terminal.url}`)
    terminal.press('q')
    await terminal.exitCode()
  })
})
