import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import { prompt } from '../../../../src/cli/options/prompt.ts'
import type { Terminal } from '../../../../src/cli/print/terminal.ts'

test('Ctrl-C at a question ends the command by its handler, without ending the process', async () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
  const onSignal = vi.fn<() => void>()
  process.on('SIGINT', onSignal)
  onTestFinished(() => {
    process.off('SIGINT', onSignal)
    kill.mockRestore()
  })
  const [stdin, stderr] = [new PassThrough(), new PassThrough()]
  const answer = prompt('Key?', { stdin, stderr } as unknown as Terminal)
  stdin.write('\u0003')
  await vi.waitFor(() => expect(onSignal).toHaveBeenCalledTimes(1))
  expect(kill).not.toHaveBeenCalled()
  stdin.end()
  expect(await answer).toBe('')
})
