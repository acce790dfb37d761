import { generateText, Output, streamText, jsonSchema, tool } from 'ai'
import { expect, test } from 'vitest'
import { scriptedModel } from '../../../src/testing/scripted-model.ts'

const add = tool({
  description: 'Adds',
  inputSchema: jsonSchema<{ a: number; b: number }>({ type: 'object' }),
  execute: ({ a, b }) => a + b,
})
const twoSteps = ({ steps }: { steps: readonly unknown[] }) => steps.length >= 2

test('returns the answers in order, and records its calls', async () => {
  const model = scriptedModel(['One', ({ temperature }) => `At ${temperature}`])
  expect((await generateText({ model, prompt: 'First?' })).text).toBe('One')
  expect((await generateText({ model, prompt: 'Second?', temperature: 0.5 })).text).toBe('At 0.5')
  expect(model.prompts).toEqual(['First?', 'Second?'])
  expect(model.calls[1]).toMatchObject({ temperature: 0.5 })
})

test('calls tools, and receives their results', async () => {
  const model = scriptedModel([
    { text: 'Let me see', toolCalls: [{ toolName: 'add', input: { a: 2, b: 3 } }] },
    'It is 5',
  ])
  const { text, steps } = await generateText({ model, prompt: 'x', tools: { add }, stopWhen: twoSteps })
  expect(text).toBe('It is 5')
  expect(steps[0]).toMatchObject({ text: 'Let me see', toolResults: [{ output: 5 }] })
  expect(JSON.stringify(model.calls[1]?.prompt)).toContain('"value":5')
})

test('returns objects', async () => {
  const schema = jsonSchema<{ day: string }>({ type: 'object' })
  const model = scriptedModel([{ object: { day: 'friday' } }])
  const { output } = await generateText({ model, prompt: 'x', output: Output.object({ schema }) })
  expect(output).toEqual({ day: 'friday' })
})

test('streams text, reasoning and tool inputs in parts', async () => {
  const model = scriptedModel([
    {
      reasoning: 'Hm, so',
      text: 'It is 5',
      toolCalls: [{ toolName: 'add', input: { a: 20_000, b: 30_000 } }],
    },
  ])
  const parts: { type: string }[] = []
  for await (const part of streamText({ model, prompt: 'x', tools: { add } }).fullStream) parts.push(part)
  const count = (type: string) => parts.filter((part) => part.type === type).length
  expect([count('reasoning-delta'), count('text-delta'), count('tool-input-delta')]).toEqual([2, 3, 2])
  expect(parts.at(-1)).toMatchObject({ finishReason: 'tool-calls' })
})

test('estimates token counts, or returns those of the script', async () => {
  const usage = { inputTokens: 100, cachedInputTokens: 40, outputTokens: 7, reasoningTokens: 2 }
  const model = scriptedModel(['12345678', { text: 'x', usage }])
  const counted = await generateText({ model, prompt: 'x' })
  expect(counted.usage.outputTokens).toBe(2)
  expect(counted.usage.inputTokens).toBeGreaterThan(0)
  expect((await generateText({ model, prompt: 'x' })).usage).toMatchObject({
    inputTokens: 100,
    outputTokens: 7,
    inputTokenDetails: { cacheReadTokens: 40 },
    outputTokenDetails: { reasoningTokens: 2 },
  })
})

test('fails with the error of the script, also within a stream', async () => {
  const failure = new Error('no more paper')
  const model = scriptedModel([failure, { text: 'Once upon', error: failure }])
  await expect(generateText({ model, prompt: 'x' })).rejects.toThrow('no more paper')
  const seen: unknown[] = []
  const { fullStream } = streamText({ model, prompt: 'x', onError: () => undefined })
  try {
    for await (const part of fullStream) {
      if (part.type === 'text-delta') seen.push(part.text)
      if (part.type === 'error') seen.push(part.error)
    }
  } catch (error) {
    seen.push(error)
  }
  expect(seen).toEqual(['Once ', 'upon', failure])
})

test('ends a delay when the call is aborted', async () => {
  const model = scriptedModel([{ text: 'late', delayMs: Infinity }], { repeatLast: true })
  const abortSignal = AbortSignal.timeout(10)
  await expect(generateText({ model, prompt: 'x', abortSignal })).rejects.toThrow(/abort|timeout/i)
  await expect(generateText({ model, prompt: 'x', abortSignal })).rejects.toThrow(/abort|timeout/i)
  expect(model.calls).toHaveLength(1)
})

test('fails after the last answer, unless repeatLast is set', async () => {
  const model = scriptedModel(['Only'])
  await generateText({ model, prompt: 'x' })
  await expect(generateText({ model, prompt: 'x' })).rejects.toThrow(
    'The script has 1 answers, but the model was called 2 times',
  )
  const repeating = scriptedModel(['Again'], { repeatLast: true })
  await generateText({ model: repeating, prompt: 'x' })
  expect((await generateText({ model: repeating, prompt: 'x' })).text).toBe('Again')
})
