import { BoundedQueue } from '../../../lib/async/live-queue.ts'
import { WakeUp } from '../../../lib/async/wake-up.ts'
import type { LivePart, PartReader } from './part-listener.ts'

interface CallTypes {
  readonly begin: string
  readonly ends: ReadonlySet<string>
}

interface Waiting {
  readonly part: LivePart
  /** The tool call of the streamed answer in which it was made. */
  readonly callId: string
}

/** A live part among the parts of a stream. */
export class Live {
  readonly part: LivePart

  constructor(part: LivePart) {
    this.part = part
  }
}

/**
 * The live parts of a streamed answer, until they are read: each behind the tool call in which it was made. A reader that is
 * 1 MiB behind misses the oldest; a preliminary result, and data with an id, takes the place of an unread earlier one.
 */
export class LiveParts implements PartReader {
  readonly #waiting = new BoundedQueue<Waiting>()
  /** The tool calls in progress. */
  readonly #open: Set<string>
  #onMore: (() => void) | undefined
  /** Whether anybody reads the stream. Default: always. */
  isStreamRead: () => boolean = () => true

  /** @param open the calls that have begun before, in the part of the answer that was streamed then */
  constructor(open: Iterable<string> = []) {
    this.#open = new Set(open)
  }

  isReading(): boolean {
    return this.#onMore !== undefined && this.isStreamRead()
  }

  send(part: LivePart, callId = 'toolCallId' in part ? part.toolCallId : ''): void {
    if (!this.#onMore) return
    this.#waiting.add({ part, callId }, sizeOf(part), keyOf(part))
    this.#onMore()
  }

  /** @param calls the types of the items with which tool calls begin and end */
  async *among<T extends { readonly type: string }>(
    source: AsyncIterable<T>,
    { begin, ends }: CallTypes,
  ): AsyncGenerator<T | Live> {
    const items = source[Symbol.asyncIterator]()
    const wakeUp = new WakeUp()
    this.#onMore = wakeUp.notify
    try {
      for (;;) {
        // without a call in progress there are none
        const isQuiet = this.#open.size === 0
        const next = isQuiet ? await items.next() : yield* this.#until(items.next(), wakeUp)
        if (next.done === true) return
        const { type, toolCallId = '' } = next.value as { type: string; toolCallId?: string }
        if (type === begin) this.#open.add(toolCallId)
        else if (ends.has(type)) this.#open.delete(toolCallId)
        yield next.value
      }
    } finally {
      this.#onMore = undefined
      this.#waiting.clear()
      Promise.resolve(items.return?.()).catch(() => undefined)
    }
  }

  async *#until<T>(promise: Promise<T>, wakeUp: WakeUp): AsyncGenerator<Live, T> {
    const item = new Awaited(promise, wakeUp.notify)
    // those of the call that the last item began are here already
    yield* this.#take()
    while (!item.isSettled) {
      await wakeUp.wait()
      yield* this.#take()
    }
    return item.result()
  }

  #take(): Live[] {
    return this.#waiting.take(({ callId }) => this.#open.has(callId)).map(({ part }) => new Live(part))
  }
}

/** A promise whose outcome can be looked at. */
class Awaited<T> {
  #outcome: { readonly value: T } | { readonly error: unknown } | undefined

  constructor(promise: Promise<T>, onSettled: () => void) {
    const settle = (outcome: { readonly value: T } | { readonly error: unknown }) => {
      this.#outcome = outcome
      onSettled()
    }
    promise.then(
      (value) => settle({ value }),
      (error: unknown) => settle({ error }),
    )
  }

  get isSettled(): boolean {
    return this.#outcome !== undefined
  }

  /** @throws the error with which it was rejected */
  result(): T {
    if (!this.#outcome || 'error' in this.#outcome) throw this.#outcome?.error
    return this.#outcome.value
  }
}

/** Of parts that a later one replaces. */
function keyOf(part: LivePart): string | undefined {
  const { kind, runId } = part
  if (kind === 'result' && part.isPreliminary) return `result ${runId} ${part.toolCallId}`
  if (kind === 'report' && part.id !== undefined) return `${part.type} ${runId} ${part.id}`
  return undefined
}

function sizeOf(part: LivePart): number {
  switch (part.kind) {
    case 'text':
      return part.text.length
    case 'call':
      return part.input.length
    case 'result':
      return (part.output ?? part.error ?? '').length
    case 'report':
      return part.data.length
  }
}
