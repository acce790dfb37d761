import { expect, it } from 'vitest'
import { commandAfter } from '../../../../src/cli/print/print-outcome.ts'

const order = { workflowId: 'order', executionId: 'e1' }

it.each([
  [{ reason: 'approval' }, "resume-workflow order e1 --data '<json>'"],
  [{ reason: 'breakpoint' }, 'resume-workflow order e1'],
  [{ reason: 'waiting for event', event: 'paid' }, "send-event paid --data '<json>'"],
  [{ reason: 'waiting for event', event: 'paid', key: 'A-1' }, "send-event paid A-1 --data '<json>'"],
  [{ reason: 'waiting for event', event: 'paid', key: 'A 1' }, "send-event paid 'A 1' --data '<json>'"],
])('a suspended execution (%j) goes on with the command %s', (suspension, command) => {
  expect(commandAfter(suspension, order)).toBe(command)
})

it('the command that resumes an execution has example data, as one word of the shell', () => {
  const command = commandAfter({ reason: 'approval' }, { ...order, data: '{"ok":true}' })
  expect(command).toBe(`resume-workflow order e1 --data '{"ok":true}'`)
})
