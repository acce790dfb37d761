import { chatFormat } from '../../../agent/answer/formats/chat-format.ts'
import type { AnswerFormat } from '../../../agent/answer/formats/answer-format.ts'
import { objectFormat } from '../../../agent/answer/formats/object-format.ts'
import { objectTextFormat } from '../../../agent/answer/formats/object-text-format.ts'
import { textFormat } from '../../../agent/answer/formats/text-format.ts'
import type { AgentRunRow } from '../../../store/agent-store.ts'
import { decodeStored } from '../../record/values.ts'
import type { Delivery } from '../agent-call.ts'
import { hasObject, recordedAnswer } from './earlier-answer.ts'

/** The format of a delivery's stream; `undefined` for a delivery without one. */
export function formatOf(
  delivery: Delivery | null,
  { input }: Pick<AgentRunRow, 'input'>,
): AnswerFormat<unknown> | undefined {
  switch (delivery) {
    case 'chat':
      return chatFormat(decodeStored<object[]>(input, []))
    case 'stream':
      return textFormat
    case 'stream-object':
      return objectFormat
    case 'object-text':
      return objectTextFormat
    case 'text':
    case 'object':
    case 'nested':
    case null:
      return undefined
  }
}

/** The last part of the stream of a run that has ended. */
export function lastPartOf(format: AnswerFormat<unknown>, row: AgentRunRow): unknown {
  if (row.status === 'error') return format.failed(row.error ?? 'The agent failed')
  if (row.status === 'aborted') return format.aborted()
  const { output, ...rest } = row
  return format.finished(recordedAnswer({ ...rest, output: output ?? 'null' }, hasObject(row)), row)
}
