import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../../../src/agent/create-agent.ts'
import type { OutputGuardrail } from '../../../../src/agent/guardrails/guardrail.ts'
import { maxLength } from '../../../../src/agent/guardrails/max-length.ts'
import { redactPatterns } from '../../../../src/agent/guardrails/redact-patterns.ts'
import { createTool } from '../../../../src/agent/tools/create-tool.ts'
import type { ModelObject } from '../../../../src/agent/model-object.ts'
import { streamAnswer } from '../../../support/model/generate.ts'
import { scriptedModel } from '../../../../src/testing/scripted-model.ts'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** A model whose answer arrives in these parts, each after a time of its own in milliseconds. */
function slowModel(parts: readonly (readonly [afterMs: number, text: string])[]): ModelObject {
  const stream = async function* () {
    yield { type: 'stream-start', warnings: [] } as const
    yield { type: 'text-start', id: '0' } as const
    for (const [afterMs, delta] of parts) {
      if (afterMs > 0) await new Promise((resolve) => setTimeout(resolve, afterMs))
      yield { type: 'text-delta', id: '0', delta } as const
    }
    yield { type: 'text-end', id: '0' } as const
    yield { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage } as const
  }
  return {
    ...scriptedModel([]),
    doStream: async () => ({ stream: ReadableStream.from(stream()) }),
  }
}

const demo = { env: {}, production: false }

/** Reads an answer. Returns what has arrived at each time, in milliseconds, and the end. */
async function read(model: ModelObject, output: readonly OutputGuardrail[]) {
  const agent = createAgent({ id: 'a', name: 'A', instructions: 'x', model, guardrails: { output } })
  const stream = await streamAnswer(agent, { prompt: 'Hi', ...demo })
  const startedAt = performance.now()
  const arrived: (readonly [number, string])[] = []
  const reading = (async () => {
    try {
      for await (const part of stream.parts())
        if (part.type === 'text-delta') arrived.push([Math.round(performance.now() - startedAt), part.text])
    } catch (error) {
      return stream.end(error)
    }
    return stream.end()
  })()
  const end = reading.then(
    (generated) => generated,
    (error: unknown) => error,
  )
  await vi.runAllTimersAsync()
  return { arrived, end: await end }
}

const pass: OutputGuardrail = () => undefined

describe('a stream with output guardrails', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
  afterEach(() => void vi.useRealTimers())

  test('sends each sentence when it is complete', async () => {
    const seen: string[] = []
    const model = slowModel([
      [0, 'One'],
      [100, '. Two'],
      [100, ' is 3.14'],
      [100, '.\n```\n'],
      [100, 'code'],
    ])
    const { arrived } = await read(model, [({ text }) => void seen.push(text ?? '')])
    expect(arrived).toEqual([
      [100, 'One. '],
      [300, 'Two is 3.14.\n```\n'],
      [400, 'code'],
    ])
    expect(seen).toEqual(['One. ', 'One. Two is 3.14.\n```\n', 'One. Two is 3.14.\n```\ncode'])
  })

  test('sends text without punctuation 500 ms after it has arrived', async () => {
    const model = slowModel([
      [0, 'words'],
      [200, ' and'],
      [900, ' more'],
      [2000, ' words'],
    ])
    expect((await read(model, [pass])).arrived).toEqual([
      [500, 'words and'],
      [1600, ' more'],
      [3100, ' words'],
    ])
  })

  test('holds back what may become a match, however long it takes', async () => {
    const model = slowModel([
      [0, 'Card 4111 1111 '],
      [3000, '1111 11'],
      [3000, '11 of ACM'],
      [3000, 'E-9 '],
      [3000, 'now'],
    ])
    const { arrived } = await read(model, [redactPatterns(['card', /ACME-\d+/])])
    expect(arrived).toEqual([
      [500, 'Card '],
      [6500, '[card] of '],
      [12_000, '[redacted] now'],
    ])
  })

  test('calls a slow guardrail once for the sentences that arrive in the meantime', async () => {
    const seen: string[] = []
    const slow: OutputGuardrail = async ({ text = '' }) => {
      seen.push(text)
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    const model = slowModel([
      [0, 'A. '],
      [0, 'B. '],
      [0, 'C. '],
      [0, 'D.'],
    ])
    await read(model, [slow])
    expect(seen.length).toBeLessThan(4)
    expect(seen.at(-1)).toBe('A. B. C. D.')
  })

  test('fails when a guardrail does not return within 10 seconds', async () => {
    const never: OutputGuardrail = () => new Promise(() => undefined)
    const { arrived, end } = await read(slowModel([[0, 'Hello. ']]), [never])
    expect(arrived).toEqual([])
    expect(end).toMatchObject({ code: 'execution_failed', message: 'A guardrail of agent "a" failed' })
    expect(performance.now()).toBeGreaterThan(9000)
  })

  test('ends at the length limit', async () => {
    const model = slowModel([
      [0, 'One two. '],
      [100, 'Three four. '],
    ])
    const { arrived, end } = await read(model, [maxLength(10)])
    expect(arrived).toEqual([[0, 'One two. ']])
    expect(end).toMatchObject({ finishReason: 'guardrail', reason: 'Longer than 10 characters', text: '' })
  })
})

describe('a match that is split', () => {
  const CARD = ['4111 1111 ', '1111 1111']
  const delta = (id: string, text: string) => ({ type: 'text-delta', id, delta: text }) as const
  const text = (id: string, of: string) => [
    { type: 'text-start', id } as const,
    delta(id, of),
    { type: 'text-end', id } as const,
  ]
  const call = { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: '{}' } as const
  const end = (reason: 'stop' | 'tool-calls') =>
    ({ type: 'finish', finishReason: { unified: reason, raw: reason }, usage }) as const
  const look = createTool({
    name: 'look',
    description: 'Looks',
    inputSchema: z.object({}),
    execute: () => 'seen',
  })

  async function answer(...steps: readonly (readonly object[])[]) {
    let step = 0
    const model = {
      ...scriptedModel([]),
      doStream: async () => ({
        stream: ReadableStream.from([{ type: 'stream-start', warnings: [] }, ...(steps[step++] ?? [])]),
      }),
    } as unknown as ModelObject
    const guardrails = { output: [redactPatterns(['card', 'email', 'phone', /ACME-\d+/])] }
    const agent = createAgent({ id: 'a', name: 'A', instructions: 'x', model, tools: [look], guardrails })
    const stream = await streamAnswer(agent, { prompt: 'Hi', ...demo })
    const open = new Set<string>()
    let shown = ''
    for await (const part of stream.parts()) {
      if (part.type === 'text-start') open.add(part.id)
      if (part.type === 'text-end') open.delete(part.id)
      if (part.type !== 'text-delta') continue
      expect(open).toContain(part.id)
      shown += part.text
    }
    const { steps: made } = await stream.end()
    return { shown, steps: made.map((one) => one.text) }
  }

  test('by the boundary of two parts of the text is redacted whole', async () => {
    const { shown } = await answer([
      ...text('1', `Pay with ${CARD[0]}`),
      ...text('2', `${CARD[1]} now.`),
      end('stop'),
    ])
    expect(shown).toBe('Pay with [card] now.')
  })

  test('by a tool call does not show its first half', async () => {
    for (const first of [CARD[0], 'bob@exam', '+49 30 12', 'ACME-'] as const) {
      const { shown, steps } = await answer(
        [...text('1', `It is ${first}`), call, end('tool-calls')],
        [...text('1', CARD[1] as string), end('stop')],
      )
      expect(shown.slice(0, 7)).toBe('It is [')
      expect(JSON.stringify([shown, steps])).not.toContain((first as string).trim())
    }
  })

  test('by a tool call in the middle of a step does not show its first half later either', async () => {
    const { shown } = await answer(
      [...text('1', `It is ${CARD[0]}`), call, ...text('2', 'and so on'), end('tool-calls')],
      [...text('1', 'Done.'), end('stop')],
    )
    expect(shown).toBe('It is [card]and so onDone.')
  })

  test('leaves texts before tool calls alone that only may become one', async () => {
    const { steps } = await answer(
      [...text('1', 'Looking up order 4711 for Bob'), call, end('tool-calls')],
      [...text('1', 'Order 123456'), end('stop')],
    )
    expect(steps).toEqual(['Looking up order 4711 for Bob', 'Order 123456'])
  })
})
