import { deferred } from '../lib/async/deferred.ts'
import type { TaskEnd, TaskPart, TextChunk } from './task-format.ts'

/** What followers of a task are told, all of them the same in the same order. */
export type TaskNews =
  | { readonly type: 'text'; readonly chunk: TextChunk; readonly last: boolean }
  | { readonly type: 'ended'; readonly end: TaskEnd; readonly at: number }

/**
 * A task while its agent answers. It keeps the answer once, however many follow it: each reader goes through it at
 * its own pace, and whether anybody reads makes no difference to the task.
 */
export class LiveTask {
  readonly id: string
  /** Settles when the task has ended and that is on record. */
  readonly ended: Promise<TaskEnd>
  readonly #news: TaskNews[] = []
  readonly #end = deferred<TaskEnd>()
  #text = ''
  #hasEnded = false
  #changed = deferred<void>()

  constructor(id: string) {
    this.id = id
    this.ended = this.#end.promise
  }

  /** The answer so far. */
  get text(): string {
    return this.#text
  }

  take(part: TaskPart, now: number): void {
    if (part.type === 'text') this.#add(part.chunk, false)
    if (part.type === 'ended') this.#finish(part.end, now)
    const changed = this.#changed
    this.#changed = deferred()
    changed.resolve()
  }

  /** What happens from now on, until the task has ended. */
  follow(): AsyncGenerator<TaskNews> {
    return this.#from(this.#news.length - (this.#hasEnded ? 1 : 0))
  }

  /** What has happened and what happens, until the task has ended. */
  replay(): AsyncGenerator<TaskNews> {
    return this.#from(0)
  }

  async *#from(start: number): AsyncGenerator<TaskNews> {
    for (let index = start; ; index++) {
      while (index >= this.#news.length) await this.#changed.promise
      const news = this.#news[index] as TaskNews
      yield news
      if (news.type === 'ended') return
    }
  }

  #add(chunk: TextChunk, last: boolean): void {
    this.#text = chunk.append ? this.#text + chunk.text : chunk.text
    this.#news.push({ type: 'text', chunk, last })
  }

  #finish(end: TaskEnd, at: number): void {
    if (end.state === 'completed' && (end.text !== '' || this.#text !== '')) {
      const isWhole = end.text === this.#text
      this.#add({ text: isWhole ? '' : end.text, append: isWhole }, true)
    }
    this.#news.push({ type: 'ended', end, at })
    this.#hasEnded = true
    this.#end.resolve(end)
  }
}
