import { expect, test } from 'vitest'
import { AnswerBuilder } from '../../../../../../../src/console/screens/agents/chat/session/answer-builder.ts'

type Chunk = Parameters<AnswerBuilder['add']>[0]
const partsAfter = (...chunks: object[]) => {
  const builder = new AnswerBuilder()
  for (const chunk of chunks) builder.add(chunk as Chunk)
  return builder.message().parts
}
const call = { agentId: 'lead', runId: 'r', toolCallId: 'c', toolName: 'look', input: { a: 1 } }
const agentTool = (data: object) => ({ type: 'data-agent-tool', id: 'r:c', data: { ...call, ...data } })

test('a call of a sub-agent is one part, from its start to its result', () => {
  const shown = { type: 'tool', toolCallId: 'r:c', agentId: 'lead', toolName: 'look', input: { a: 1 } }
  const begun = agentTool({ state: 'call' })
  expect(partsAfter(begun)).toEqual([{ ...shown, state: 'input-available' }])
  const ended = agentTool({ state: 'result', output: 2 })
  expect(partsAfter(begun, ended)).toEqual([{ ...shown, state: 'output-available', output: 2 }])
  const failed = agentTool({ state: 'error', error: 'No' })
  expect(partsAfter(begun, failed)).toEqual([{ ...shown, state: 'output-error', errorText: 'No' }])
})

test('a preliminary result is shown while its call runs', () => {
  const input = { type: 'tool-input-available', toolCallId: 'c', toolName: 'look', input: {} }
  const output = { type: 'tool-output-available', toolCallId: 'c', output: 1 }
  expect(partsAfter(input, { ...output, preliminary: true })).toMatchObject([
    { state: 'input-available', output: 1 },
  ])
  expect(partsAfter(input, output)).toMatchObject([{ state: 'output-available', output: 1 }])
  const preliminary = agentTool({ state: 'result', output: 1, preliminary: true })
  expect(partsAfter(preliminary)).toMatchObject([{ state: 'input-available', output: 1 }])
})

test('data of a tool is shown, once for each id, and transient data is not', () => {
  const data = (id: string | undefined, value: number) => ({ type: 'data-x', ...(id && { id }), data: value })
  expect(
    partsAfter(data('p', 1), data('p', 2), data(undefined, 3), { ...data('t', 4), transient: true }),
  ).toEqual([
    { type: 'other', text: 'data-x: 2' },
    { type: 'other', text: 'data-x: 3' },
  ])
})
