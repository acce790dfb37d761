import { expect, it } from 'vitest'
import { outputsOf, textOf } from './agent-project.ts'
import { readStream } from './answer-stream.ts'

const RUN = 'chat-1'

const results = [...outputsOf(RUN)].map(([tool, output]) => ({
  type: 'tool-output-available',
  toolCallId: `call-${tool}`,
  output,
}))
const text = (delta: string) => ({ type: 'text-delta', delta })
const FINISH = { type: 'finish' }

const stream = (...parts: readonly object[]) =>
  new Response(`${parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join('')}data: [DONE]\n\n`)

it('readStream accepts a whole stream of either form, and the beginning of one', async () => {
  const whole = [...results, text(textOf(RUN)), FINISH]
  expect(await readStream(RUN, stream(...whole))).toEqual({ isFinished: true, wrong: [] })
  const ofText = [
    ...results.map((part) => ({ ...part, type: 'tool-result' })),
    { type: 'text-delta', text: textOf(RUN) },
    FINISH,
  ]
  expect(await readStream(RUN, stream(...ofText))).toEqual({ isFinished: true, wrong: [] })
  for (let count = 0; count < whole.length; count++)
    expect(await readStream(RUN, stream(...whole.slice(0, count)))).toEqual({ isFinished: false, wrong: [] })
})

it('readStream disconnects when it is to leave', async () => {
  const read = await readStream(RUN, stream(...results, text('wrong')), (parts) => parts >= 2)
  expect(read).toEqual({ isFinished: false, wrong: [] })
})

it.each([
  ['a result twice', [results[0], results[0]], 'the result of work-1 twice'],
  ['another result', [{ ...results[0], output: 'chat-2/work-1' }], 'the result of work-1: "chat-2/work-1"'],
  ['another text', [text('Done: chat-2')], 'the text "Done: chat-2"'],
  ['a text that repeats itself', [text('Done:'), text('Done:')], 'the text "Done:Done:"'],
  ['no result', [...results.slice(1), text(textOf(RUN)), FINISH], 'no result of work-1'],
  ['the text up to the middle', [...results, text('Done:'), FINISH], 'the text "Done:"'],
])('readStream reports %s', async (_, parts, wrong) => {
  const read = await readStream(RUN, stream(...(parts as object[])))
  expect(read.wrong).toEqual([`chat-1: the stream has ${wrong}`])
})
