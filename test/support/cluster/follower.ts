import type { ExecutionEvent } from '../../../src/contract/event.ts'
import { until } from '../until.ts'
import type { Notes } from './notes.ts'

export interface FollowedEvent {
  readonly id: number
  /** When it arrived here, in milliseconds since the epoch. */
  readonly at: number
  readonly event: ExecutionEvent
}

/** A client that reads the event stream of an execution to its end. */
export class Follower {
  readonly executionId: string
  readonly events: FollowedEvent[] = []
  /** Rejects when the stream breaks. */
  readonly ended: Promise<void>

  constructor(executionId: string, response: Promise<Response>) {
    this.executionId = executionId
    this.ended = this.#read(response)
    // whoever waits for it gets the error
    this.ended.catch(() => undefined)
  }

  get ids(): number[] {
    return this.events.map(({ id }) => id)
  }

  /** Waits until a number of events have arrived. */
  async received(count: number): Promise<void> {
    await until(() => this.events.length >= count, `${count} events of ${this.executionId}`)
  }

  /** Steps that began after this client had received their result: they ran although they were recorded. */
  recordedTwice(notes: Notes): string[] {
    const results = this.events.flatMap(({ at, event }) =>
      event.type === 'step-complete' ? [{ at, step: event.from }] : [],
    )
    const begun = notes.begun([this.executionId])
    return results.flatMap(({ at, step }) =>
      begun
        .filter((note) => note.step === step && note.at > at)
        .map(({ machine }) => `${step} on ${machine}`),
    )
  }

  async #read(sent: Promise<Response>): Promise<void> {
    const response = await sent
    if (!response.ok || !response.body) throw new Error(`${response.status} ${await response.text()}`)
    let text = ''
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
      const blocks = `${text}${part}`.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) this.#onBlock(block)
    }
  }

  #onBlock(block: string): void {
    const [, id, data] = /^id: (\d+)\ndata: (\{.*\})$/.exec(block) ?? []
    if (id === undefined || data === undefined) return
    const at = performance.timeOrigin + performance.now()
    this.events.push({ id: Number(id), at, event: JSON.parse(data) as ExecutionEvent })
  }
}
