import type { ObjectStreamPart } from '../../../contract/agent-event.ts'
import { summaryOf } from './answer-format.ts'
import type { AnswerFormat } from './answer-format.ts'

/** The partial object, sent each time it changes. */
export const objectFormat: AnswerFormat<ObjectStreamPart> = {
  async *read(stream) {
    let text = ''
    let last = ''
    for await (const part of stream.parts()) {
      if (part.type === 'error') return
      if (part.type === 'start-step') text = ''
      if (part.type !== 'text-delta') continue
      text += part.text
      const { value } = await stream.ai.parsePartialJson(text)
      const object = value === undefined ? undefined : stream.answerSchema?.unwrap(value)
      const json = JSON.stringify(object)
      if (object === undefined || json === last) continue
      last = json
      yield { type: 'object-delta', object }
    }
  },
  finished: (generated, run) => ({
    type: 'finish',
    object: generated.object ?? null,
    ...summaryOf(generated, run),
  }),
  failed: (error) => ({ type: 'error', error }),
  aborted: () => ({ type: 'abort' }),
}
