import { createDeferred } from '../lib/async/wake-up.ts'
import type { TaskEnd, TaskPart, TextChunk } from './task-format.ts'

/** An update of a task. All subscribers receive the same updates in the same order. */
export type TaskUpdate =
  | { readonly type: 'text'; readonly chunk: TextChunk; readonly last: boolean }
  | { readonly type: 'ended'; readonly end: TaskEnd; readonly at: number }

/**
 * A task in progress. It stores its updates once for all subscribers, who read them at their own pace. The task
 * does not depend on its subscribers.
 */
export class LiveTask {
  readonly id: string
  /** Resolves when the task has ended and its record is stored. */
  readonly ended: Promise<TaskEnd>
  readonly #updates: TaskUpdate[] = []
  readonly #end = createDeferred<TaskEnd>()
  #text = ''
  #hasEnded = false
  #changed = createDeferred<void>()

  constructor(id: string) {
    this.id = id
    this.ended = this.#end.promise
  }

  /** The incomplete answer. */
  get text(): string {
    return this.#text
  }

  add(part: TaskPart, now: number): void {
    if (part.type === 'text') this.#addText(part.chunk, false)
    if (part.type === 'ended') this.#finish(part.end, now)
    const changed = this.#changed
    this.#changed = createDeferred()
    changed.resolve()
  }

  /** The updates from now until the end of the task. */
  follow(): AsyncGenerator<TaskUpdate> {
    return this.#from(this.#updates.length - (this.#hasEnded ? 1 : 0))
  }

  /** All updates, from the beginning until the end of the task. */
  replay(): AsyncGenerator<TaskUpdate> {
    return this.#from(0)
  }

  async *#from(start: number): AsyncGenerator<TaskUpdate> {
    for (let index = start; ; index++) {
      while (index >= this.#updates.length) await this.#changed.promise
      const update = this.#updates[index] as TaskUpdate
      yield update
      if (update.type === 'ended') return
    }
  }

  #addText(chunk: TextChunk, last: boolean): void {
    this.#text = chunk.append ? this.#text + chunk.text : chunk.text
    this.#updates.push({ type: 'text', chunk, last })
  }

  #finish(end: TaskEnd, at: number): void {
    if (end.state === 'completed' && (end.text !== '' || this.#text !== '')) {
      const isComplete = end.text === this.#text
      this.#addText({ text: isComplete ? '' : end.text, append: isComplete }, true)
    }
    this.#updates.push({ type: 'ended', end, at })
    this.#hasEnded = true
    this.#end.resolve(end)
  }
}
