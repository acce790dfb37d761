import { PassThrough, Readable } from 'node:stream'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { runCommandLine } from '../../../src/cli/command-line.ts'
import { COMMANDS } from '../../../src/cli/command-table.ts'
import type { CliCommand, CommandCall } from '../../../src/cli/command.ts'
import type { Lifetime } from '../../../src/cli/lifetime.ts'

afterEach(() => vi.restoreAllMocks())

const stdout = () => String(io.stdout.read() ?? '')
const stderr = () => String(io.stderr.read() ?? '')
let lifetime: Lifetime
let io: { stdin: Readable; stdout: PassThrough; stderr: PassThrough; supervise: (of: Lifetime) => void }
beforeEach(() => {
  io = {
    stdin: Readable.from([]),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    supervise: (of) => {
      lifetime = of
    },
  }
})

/** Runs `agentserver list`, with other code. */
function list(run: CliCommand['run'], ...options: string[]) {
  vi.spyOn(COMMANDS['list']!, 'load').mockResolvedValue({ define: () => undefined, run })
  return runCommandLine(['node', 'agentserver', 'list', ...options], io)
}
const never = () => new Promise<never>(() => undefined)

it('a command line returns the exit code when resources are closed, the newest first', async () => {
  const closed: string[] = []
  const exitCode = await list(async (call: CommandCall) => {
    for (const name of ['database', 'server'])
      call.lifetime.defer(async () => {
        await Promise.resolve()
        closed.push(name)
      })
    call.terminal.print('one')
    return 3
  })
  expect(exitCode).toBe(3)
  expect(closed).toEqual(['server', 'database'])
  expect(stdout()).toBe('one\n')
})

it('a command line prints help and usage errors to the streams that it was given', async () => {
  expect(await runCommandLine(['node', 'agentserver', '--help'], io)).toBe(0)
  expect(stdout()).toContain('Usage: agentserver')
  expect(await runCommandLine(['node', 'agentserver', 'lst', '--json'], io)).toBe(2)
  expect(JSON.parse(stdout())).toMatchObject({ success: false })
  expect(stderr()).toContain('unknown command "lst"')
})

it('a command line with --json keeps stdout for the result', async () => {
  await list((call) => {
    io.stdout.write('from the project\n')
    call.terminal.printValue({ ok: true })
    return Promise.resolve(0)
  }, '--json')
  expect(stdout()).toBe('{"ok":true}\n')
  expect(stderr()).toBe('from the project\n')
})

it('a signal ends a command with 130, and closes its resources', async () => {
  let isClosed = false
  const exitCode = await list((call) => {
    call.lifetime.defer(() => {
      isClosed = true
    })
    lifetime.onSignal()
    return never()
  })
  expect({ exitCode, isClosed }).toEqual({ exitCode: 130, isClosed: true })
})

it('a second signal ends a command whose resources do not close; one right after the first does not', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1000)
  const exitCode = await list((call) => {
    call.lifetime.exitWhenInterrupted = 0
    call.lifetime.defer(() => {
      lifetime.onSignal()
      clock.mockReturnValue(1100)
      lifetime.onSignal()
      return never()
    })
    lifetime.onSignal()
    return never()
  })
  expect(exitCode).toBe(130)
})

it('a command that nothing can end any more is reported, and one that hangs while it closes ends as reported', async () => {
  const stalled = await list((call) => {
    call.lifetime.waitsFor = 'Step "pay"'
    call.lifetime.defer(() => {
      lifetime.onIdle()
      return never()
    })
    lifetime.onIdle()
    return never()
  })
  expect(stalled).toBe(5)
  expect(stderr()).toContain('Step "pay" waits for a promise')
})

it('an uncaught error ends a command with 1 and its message', async () => {
  const exitCode = await list(() => {
    lifetime.onUncaughtError(new Error('out of the blue'))
    return never()
  })
  expect(exitCode).toBe(1)
  expect(stderr()).toContain('✗ out of the blue')
})
