import * as ai from 'ai'
import { describe, expect, it } from 'vitest'
import { recordingModel, replayedModel } from '../../../../src/evals/recordings/recorded-model.ts'
import type { CallOutcome } from '../../../../src/evals/recordings/call-outcome.ts'
import type { ModelObject } from '../../../../src/agent/model-object.ts'
import { scriptedModel, type ScriptedAnswer } from '../../../../src/testing/scripted-model.ts'

const CALL = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] }
const ANSWER: ScriptedAnswer = {
  reasoning: 'Hm.',
  text: 'Two words',
  toolCalls: [{ toolName: 'add', input: { a: 1 } }],
}

interface Part {
  readonly type: string
}
interface Calls {
  doGenerate(call: unknown): Promise<{ content: readonly Part[]; finishReason: unknown; usage: unknown }>
  doStream(call: unknown): Promise<{ stream: ReadableStream<Part> }>
}

/** A model whose calls are recorded, and one that replays them. */
function recorded(script: readonly ScriptedAnswer[]) {
  const outcomes: CallOutcome[] = []
  const model = scriptedModel(script)
  const recording = recordingModel(model, () => (outcome) => void outcomes.push(outcome))
  let next = 0
  const replayed = replayedModel(model, async () => outcomes[next++] as CallOutcome, ai)
  return { recording: calls(recording), replayed: calls(replayed), outcomes, model }
}

const calls = (model: ModelObject) => model as unknown as Calls
async function parts({ stream }: { stream: ReadableStream<Part> }): Promise<Part[]> {
  const read: Part[] = []
  for await (const part of stream) read.push(part)
  return read
}
const types = (list: readonly Part[]) => [...new Set(list.map(({ type }) => type))]

describe('a recorded answer', () => {
  it.each(['doGenerate', 'doStream'] as const)('of %s is replayed by both methods', async (method) => {
    const { recording, replayed, model } = recorded([ANSWER, ANSWER])
    const results = []
    for (let time = 0; time < 2; time++) {
      const result = await recording[method](CALL)
      results.push('stream' in result ? await parts(result) : result)
    }
    const generated = await replayed.doGenerate(CALL)
    expect(generated).toMatchObject({
      content: [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'text', text: 'Two words' },
        { type: 'tool-call', toolName: 'add', input: '{"a":1}' },
      ],
      finishReason: { unified: 'tool-calls' },
    })
    const streamed = await parts(await replayed.doStream(CALL))
    expect(types(streamed)).toEqual(
      expect.arrayContaining(['stream-start', 'reasoning-delta', 'text-delta', 'tool-call', 'finish']),
    )
    expect(model.calls).toHaveLength(2)
  })

  it('has no ids and times of the response', async () => {
    const { recording, outcomes } = recorded(['Hi'])
    await recording.doGenerate(CALL)
    expect(outcomes[0]).toMatchObject({ answer: { response: { modelId: 'scripted' } } })
    expect(JSON.stringify(outcomes)).not.toMatch(/timestamp|headers/)
  })
})

describe('a recorded failure', () => {
  it('is thrown again, and the AI SDK retries it without waiting', async () => {
    const failure = new ai.APICallError({
      message: 'overloaded',
      url: 'http://127.0.0.1/secret',
      requestBodyValues: {},
      statusCode: 503,
      isRetryable: true,
    })
    const { recording, replayed, outcomes } = recorded([failure, failure, 'Back'])
    const ask = (model: Calls) => ai.generateText({ model: model as never, prompt: 'Hi', maxRetries: 2 })
    outcomes.push({ error: { message: 'overloaded', statusCode: 503, isRetryable: true } })
    await recording.doGenerate(CALL).catch(() => undefined)
    await recording.doGenerate(CALL).catch(() => undefined)
    await recording.doGenerate(CALL)
    expect(JSON.stringify(outcomes)).not.toContain('secret')
    outcomes.shift()
    const startedAt = performance.now()
    expect((await ask(replayed)).text).toBe('Back')
    // the first retry would wait for 2 s
    expect(performance.now() - startedAt).toBeLessThan(2000)
  })

  it('of an aborted call ends when its caller aborts it again', async () => {
    const { recording, replayed, outcomes } = recorded([{ text: 'late', delayMs: Infinity }])
    const first = new AbortController()
    const pending = recording.doGenerate({ ...CALL, abortSignal: first.signal })
    first.abort(new Error('lost the race'))
    await expect(pending).rejects.toThrow('lost the race')
    expect(outcomes).toEqual([{ aborted: true }])
    const second = new AbortController()
    const again = replayed.doGenerate({ ...CALL, abortSignal: second.signal })
    second.abort(new Error('lost again'))
    await expect(again).rejects.toThrow('lost again')
  })
})
