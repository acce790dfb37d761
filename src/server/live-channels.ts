import { CHANNELS } from '../contract/channels.ts'
import type { ConfigChange } from '../contract/channels.ts'
import type { ExecutionFeed } from '../engine/execution-feed.ts'
import { systemClock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { isId } from '../lib/ids.ts'
import { lazy } from '../lib/lazy.ts'
import { VERSION } from '../lib/version.ts'
import { consoleChannel } from '../ws/console-channel.ts'
import { EXECUTIONS, ExecutionsFrames, executionFrames } from '../ws/execution-topics.ts'
import type { SocketMatch } from '../ws/socket-routes.ts'
import { LiveTopic, keptTopic } from '../ws/topic.ts'
import type { Topic } from '../ws/topic.ts'

export interface LiveChannelsOptions {
  /** The number of the configuration in service; 0 while there is none. */
  readonly generation: () => number
  /** @throws AppError `unavailable` while the server stops */
  readonly feed: () => ExecutionFeed
}

/** The server's own WebSocket channels, and what is told there. */
export class LiveChannels {
  readonly #options: LiveChannelsOptions
  readonly #config = new LiveTopic('config')
  readonly #executions = lazy(() => keptTopic(new ExecutionsFrames(this.#options.feed())))
  readonly #console

  constructor(options: LiveChannelsOptions) {
    const { generation } = options
    this.#options = options
    this.#console = consoleChannel({ version: VERSION, generation, topic: (name) => this.#topic(name) })
  }

  /** Tells of a load, or of one that failed. */
  config(change: ConfigChange): void {
    this.#config.publish(change, systemClock.now())
  }

  /** The channel at a path, if there is one. */
  route(path: string): SocketMatch | undefined {
    return path === CHANNELS.console.path ? { handler: this.#console, params: {} } : undefined
  }

  #topic(name: string): Topic {
    if (name === this.#config.name) return this.#config
    if (name === EXECUTIONS) return this.#executions()
    const [, id = ''] = /^execution:(.*)$/s.exec(name) ?? []
    if (isId(id)) return keptTopic(executionFrames(id, this.#options.feed()))
    throw new AppError('invalid_input', `There is no topic "${name}"`)
  }
}
