import { AsyncLocalStorage } from 'node:async_hooks'
import { ATTRIBUTE } from '../../contract/attributes.ts'
import { NoTrace } from '../../lib/telemetry/trace-scope.ts'
import type { OpenSpan, SpanOptions } from '../../lib/telemetry/trace-scope.ts'
import { createDeferred } from '../../lib/async/wake-up.ts'
import type { Seed } from './seed.ts'

/** A process that is simulated in this one. After its end, nothing that its code does has an effect. */
export class Life {
  readonly #ended = createDeferred<'ended'>()
  isOver = false

  /** Resolves at its end. */
  get ended(): Promise<'ended'> {
    return this.#ended.promise
  }

  end(): void {
    this.isOver = true
    this.#ended.resolve('ended')
  }
}

/** Where code of the project runs. */
export interface RunPlace {
  readonly life: Life
  readonly executionId: string
  /** Of the recorded call; empty outside of them. */
  readonly path: string
  /** The same for all code of one run of a function: of an attempt of a call, or of a pass over the function of a workflow. */
  readonly pass: object
}

const places = new AsyncLocalStorage<RunPlace>()

/** Where the code that calls this runs; `undefined` for code that no proof runs. */
export function currentPlace(): RunPlace | undefined {
  return places.getStore()
}

/** Runs code in a process. */
export function enterLife<T>(life: Life, work: () => T): T {
  return places.run({ life, executionId: '', path: '', pass: life }, work)
}

/** Runs code that belongs to no run, such as a call of a model. */
export function outsideOfRuns<T>(work: () => T): T {
  return places.exit(work)
}

/** Records no spans: it notes where the functions of a run are called, and delays their ends by what the seed chooses. */
export class PlaceTrace extends NoTrace {
  override readonly isRecording = true
  readonly #place: RunPlace
  readonly #seed: Seed
  readonly #isAttempt: boolean

  constructor(place: RunPlace, seed: Seed, isAttempt = false) {
    super()
    this.#place = place
    this.#seed = seed
    this.#isAttempt = isAttempt
  }

  static of(life: Life, seed: Seed): PlaceTrace {
    return new PlaceTrace({ life, executionId: '', path: '', pass: life }, seed)
  }

  override start(_name?: string, { attributes = {} }: SpanOptions = {}): OpenSpan {
    const place = this.#place
    const executionId = attributes[ATTRIBUTE.executionId]
    if (typeof executionId === 'string')
      return new PlaceTrace({ ...place, executionId, path: '', pass: {} }, this.#seed)
    const path = attributes[ATTRIBUTE.stepPath]
    if (typeof path === 'string') return new PlaceTrace({ ...place, path, pass: {} }, this.#seed, true)
    // each call of a tool is a pass of its own, whichever attempt of the agent makes it
    const toolCall = attributes[ATTRIBUTE.toolCallId]
    if (typeof toolCall === 'string')
      return new PlaceTrace({ ...place, path: `${place.path}/${toolCall}`, pass: {} }, this.#seed)
    return this
  }

  override run<T>(work: () => T): T {
    const result = places.run(this.#place, work)
    if (!this.#isAttempt || !(result instanceof Promise)) return result
    const { path } = this.#place
    return this.#seed.delayed(result, `end of ${path}`) as T
  }
}
