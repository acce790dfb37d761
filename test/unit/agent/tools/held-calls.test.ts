import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { HeldCalls, type HoldableCall } from '../../../../src/agent/tools/held-calls.ts'

it.each([
  ['returned', async () => 'done'],
  ['failed', () => Promise.reject(new Error('no'))],
])('a tool call that has %s leaves no listener at the signal of its answer', async (_, execute) => {
  const { signal } = new AbortController()
  const call = { agentId: 'a', toolName: 't', toolCallId: '1', input: {}, context: { signal } }
  await new HeldCalls().start(call as unknown as HoldableCall, execute).catch(() => undefined)
  await expect.poll(() => getEventListeners(signal, 'abort').length).toBe(0)
})
