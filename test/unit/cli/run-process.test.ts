import { expect, onTestFinished, test, vi } from 'vitest'
import type { Lifetime } from '../../../src/cli/lifetime.ts'
import { asWindows } from '../../support/as-windows.ts'

/** The signals that stop a command on the system that the process takes itself to run on. */
async function stopSignals(): Promise<string[]> {
  vi.resetModules()
  const { runProcess } = await import('../../../src/cli/run-process.ts')
  const on = vi.spyOn(process, 'on').mockReturnValue(process)
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never)
  onTestFinished(() => {
    on.mockRestore()
    exit.mockRestore()
  })
  const onSignal = vi.fn<() => void>()
  await runProcess(async (_, { supervise }) => {
    supervise?.({ onSignal } as unknown as Lifetime)
    return 0
  })
  const handlers = on.mock.calls.filter(([name]) => String(name).startsWith('SIG'))
  for (const [, handler] of handlers) (handler as () => void)()
  expect(onSignal).toHaveBeenCalledTimes(handlers.length)
  return handlers.map(([name]) => String(name))
}

test('a terminal and a process manager stop a command', async () => {
  expect(await stopSignals()).toEqual(['SIGINT', 'SIGTERM'])
})

test('on Windows, Ctrl-Break and the end of the console window stop it as well', async () => {
  asWindows()
  expect(await stopSignals()).toEqual(['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'])
})
