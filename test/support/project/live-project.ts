import { startLiveConfig } from '../../../src/config/live/live-config.ts'
import type { LiveConfig } from '../../../src/config/live/live-config.ts'
import type { LoadedEvent, LoadFailedEvent } from '../../../src/config/live/load-event.ts'
import { findProject } from '../../../src/config/project.ts'
import { TempProject } from './temp-project.ts'

export type Outcome =
  | (LoadedEvent & { readonly value: unknown; readonly error?: undefined })
  | LoadFailedEvent

export interface LiveProjectOptions {
  readonly poll?: number
  /** Checks the export `value` of the configuration. */
  readonly accept?: (value: unknown) => unknown
}

/** A watched project. Each outcome has the export `value` of the configuration. */
export class LiveProject extends TempProject {
  readonly outcomes: Outcome[] = []
  readonly hints: string[] = []
  #live: LiveConfig<unknown> | undefined
  #taken = 0
  #wake: () => void = () => {}

  get live(): LiveConfig<unknown> {
    if (this.#live === undefined) throw new Error('The project was not started')
    return this.#live
  }

  async start({ poll, accept = (value) => value }: LiveProjectOptions = {}): Promise<Outcome> {
    this.#live = await startLiveConfig({
      project: findProject({ cwd: this.root }),
      mode: 'development',
      alias: {},
      accept: (exports) => accept(exports['value']),
      onLoaded: (event, { value }) => this.#saw({ ...event, value }),
      onError: (event) => this.#saw(event),
      onHint: (text) => this.hints.push(text),
      ...(poll === undefined ? {} : { poll }),
    })
    return this.next()
  }

  /** The next unread outcome. */
  async next(): Promise<Outcome> {
    while (this.outcomes.length <= this.#taken) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const outcome = this.outcomes[this.#taken++]
    if (outcome === undefined) throw new Error('unreachable')
    return outcome
  }

  /** The unread outcomes, after a time without new ones. */
  async quiet(ms = 120): Promise<readonly Outcome[]> {
    await new Promise((resolve) => setTimeout(resolve, ms))
    const untaken = this.outcomes.slice(this.#taken)
    this.#taken = this.outcomes.length
    return untaken
  }

  async stop(): Promise<void> {
    await this.#live?.close()
    this.remove()
  }

  #saw(outcome: Outcome): void {
    this.outcomes.push(outcome)
    this.#wake()
  }
}
