import { AppError } from '../../lib/errors.ts'
import { endError } from '../answer.ts'
import type { ShownEnd, StreamedPart } from '../answer.ts'
import { openaiError } from '../error.ts'
import type { StreamMessage } from '../exchange.ts'
import { messageItem, outputOf, responseObject, outputText } from './response-object.ts'
import type { OutputItem, ShownResponse } from './response-object.ts'

/** The events of a response, with the names of OpenAI. One that breaks ends with `response.failed` and `error`. */
export async function* responseEvents(
  parts: AsyncGenerator<StreamedPart>,
  response: Omit<ShownResponse, 'end' | 'output'>,
): AsyncGenerator<StreamMessage> {
  const events = new EventWriter(response)
  try {
    yield events.of('response.created', { response: events.response(undefined) })
    yield events.of('response.in_progress', { response: events.response(undefined) })
    for await (const part of parts) {
      if (part.type === 'text') yield* events.text(part)
      if (part.type === 'ended') yield* events.ended(part.end)
    }
  } catch (error) {
    yield* events.broken(error)
  } finally {
    await parts.return(undefined)
  }
}

class EventWriter {
  readonly #response: Omit<ShownResponse, 'end' | 'output'>
  readonly #output: OutputItem[] = []
  /** The message that is being written. */
  #open: { readonly id: string; readonly step: number; text: string } | undefined
  #sequence = 0

  constructor(response: Omit<ShownResponse, 'end' | 'output'>) {
    this.#response = response
  }

  of(type: string, members: object): StreamMessage {
    return { event: type, data: JSON.stringify({ type, sequence_number: this.#sequence++, ...members }) }
  }

  response(end: ShownEnd | undefined): object {
    return responseObject({ ...this.#response, end, output: this.#output })
  }

  *text({ text, step }: { readonly text: string; readonly step: number }): Generator<StreamMessage> {
    if (this.#open && this.#open.step !== step) yield* this.#close()
    if (!this.#open) {
      // a text that is blank is none
      if (text.trim() === '') return
      this.#open = { id: `msg_${this.#response.id}_${this.#output.length}`, step, text: '' }
      yield* this.#begin({ ...messageItem(this.#open.id, {}, 'in_progress'), content: [] }, outputText(''))
    }
    this.#open.text += text
    yield this.of('response.output_text.delta', { ...this.#place(this.#open.id), delta: text, logprobs: [] })
  }

  *ended(end: ShownEnd): Generator<StreamMessage> {
    if (end.kind === 'failed' || end.kind === 'cancelled') return yield* this.broken(endError(end))
    const wasStreamed = this.#open !== undefined || this.#output.length > 0
    yield* this.#close()
    for (const item of outputOf(end, this.#response.id)) {
      // texts were streamed; what it waits for was not
      if (item.type === 'message' && wasStreamed && end.kind === 'completed') continue
      yield* this.#whole({ ...item, id: item.id.replace(/\d+$/, String(this.#output.length)) })
    }
    const { status } = this.response(end) as { status: string }
    yield this.of(`response.${status}`, { response: this.response(end) })
  }

  *broken(error: unknown): Generator<StreamMessage> {
    const known = error instanceof AppError ? error : undefined
    const message = known?.message ?? 'The answer has failed'
    yield* this.#close('incomplete')
    const { code, param } = openaiError(known, message).error
    yield this.of('response.failed', { response: this.response({ kind: 'failed', message }) })
    yield this.of('error', { code, message, param })
  }

  #place(itemId: string) {
    return { item_id: itemId, output_index: this.#output.length, content_index: 0 }
  }

  *#begin(item: OutputItem, part?: object): Generator<StreamMessage> {
    yield this.of('response.output_item.added', { output_index: this.#output.length, item })
    if (part) yield this.of('response.content_part.added', { ...this.#place(item.id), part })
  }

  *#finish(item: OutputItem, part?: object): Generator<StreamMessage> {
    if (part) yield this.of('response.content_part.done', { ...this.#place(item.id), part })
    yield this.of('response.output_item.done', { output_index: this.#output.length, item })
    this.#output.push(item)
  }

  *#close(status = 'completed'): Generator<StreamMessage> {
    if (!this.#open) return
    const { id, text } = this.#open
    this.#open = undefined
    yield this.of('response.output_text.done', { ...this.#place(id), text, logprobs: [] })
    yield* this.#finish(messageItem(id, outputText(text), status), outputText(text))
  }

  /** An item that is known as a whole. */
  *#whole(item: OutputItem): Generator<StreamMessage> {
    const { id, type, content, arguments: args } = item
    const place = this.#place(id)
    if (type === 'function_call') {
      const { item_id, output_index } = place
      yield* this.#begin({ ...item, arguments: '', status: 'in_progress' })
      yield this.of('response.function_call_arguments.delta', { item_id, output_index, delta: args })
      yield this.of('response.function_call_arguments.done', {
        item_id,
        output_index,
        name: item['name'],
        arguments: args,
      })
      return yield* this.#finish(item)
    }
    const [part] = content as [{ readonly type: string; readonly text?: string; readonly refusal?: string }]
    const { text, refusal } = part
    const empty = refusal === undefined ? outputText('') : { type: part.type, refusal: '' }
    yield* this.#begin({ ...item, content: [], status: 'in_progress' }, empty)
    if (refusal === undefined) {
      yield this.of('response.output_text.delta', { ...place, delta: text, logprobs: [] })
      yield this.of('response.output_text.done', { ...place, text, logprobs: [] })
    } else {
      yield this.of('response.refusal.delta', { ...place, delta: refusal })
      yield this.of('response.refusal.done', { ...place, refusal })
    }
    yield* this.#finish(item, part)
  }
}
