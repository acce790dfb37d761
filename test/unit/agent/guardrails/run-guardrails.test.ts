import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { runGuardrails } from '../../../../src/agent/guardrails/run-guardrails.ts'

const run = (guardrail: (value: { signal: AbortSignal }) => unknown, signal = new AbortController().signal) =>
  runGuardrails([guardrail], 'text', {
    agentId: 'clerk',
    request: { user: undefined, context: {}, conversationId: undefined, signal },
    toMembers: (text) => ({ text }),
    read: String,
  })

describe('a guardrail', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  test('that never ends fails after 10 seconds, and its signal aborts: nothing passes', async () => {
    let aborted = false
    const result = run(({ signal }) => {
      signal.addEventListener('abort', () => void (aborted = true))
      return new Promise(() => undefined)
    }).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(9_999)
    expect(aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await result).toMatchObject({
      code: 'execution_failed',
      message: 'A guardrail of agent "clerk" failed',
      cause: { message: 'The guardrail did not return within 10000 ms' },
    })
    expect(aborted).toBe(true)
  })

  test('that throws fails the request with its error as the cause', async () => {
    for (const guardrail of [
      () => {
        throw new Error('down')
      },
      () => Promise.reject(new Error('down')),
    ])
      await expect(run(guardrail)).rejects.toMatchObject({
        code: 'execution_failed',
        cause: { message: 'down' },
      })
  })

  test('ends with the request', async () => {
    const abort = new AbortController()
    const result = run(() => new Promise(() => undefined), abort.signal)
    abort.abort(new Error('left'))
    await expect(result).rejects.toThrow('left')
  })
})
