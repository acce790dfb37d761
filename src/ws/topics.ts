import type { CallerAccess } from '../auth/caller-access.ts'
import { CHANNELS } from '../contract/channels.ts'
import type { ConfigChange } from '../contract/channels.ts'
import type { Span } from '../contract/endpoints/trace.ts'
import type { ExecutionFeed } from '../engine/executions/execution-feed.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { isId } from '../lib/ids.ts'
import { lazy } from '../lib/async/lazy.ts'
import type { LogFeed } from '../observability/logs/log-feed.ts'
import type { SpanFeed } from '../observability/tracing/record/span-feed.ts'
import { followCalls } from './call-topic.ts'
import { EXECUTIONS, ExecutionListFrames, executionEventFrames } from './execution-topics.ts'
import { OnDemandTopic, LiveTopic, createStoredTopic } from './topic.ts'
import type { Topic, TopicOptions } from './topic.ts'

export interface TopicSources {
  /** @throws AppError `unavailable` while the server stops */
  readonly executions: () => ExecutionFeed
  readonly logs: LogFeed
  readonly spans: Pick<SpanFeed, 'subscribe'>
  readonly clock: Clock
}

const LOGS = 'logs'
const CALLS = 'calls'
const TRACES = 'traces'
const OF_EXECUTION = /^execution:(.*)$/s
const OF_TRACE = /^trace:([0-9a-f]{32})$/

/** The topics of the console channel, by name. */
export class Topics {
  readonly #sources: TopicSources
  readonly #config = new LiveTopic('config')
  readonly #pins = new LiveTopic('pins')
  readonly #executions = lazy(() => createStoredTopic(new ExecutionListFrames(this.#sources.executions())))
  readonly #logs: Topic
  readonly #traceStarts: Topic
  readonly #calls: Topic
  /** Topics `trace:<id>` that have subscribers. */
  readonly #traces = new Map<string, Topic>()

  constructor(sources: TopicSources) {
    const { logs } = sources
    this.#sources = sources
    this.#logs = new OnDemandTopic({
      name: LOGS,
      feed: (publish) =>
        logs.subscribe((data) => publish({ type: 'log', ts: Date.parse(data.timestamp), data })),
    })
    this.#calls = new OnDemandTopic({
      name: CALLS,
      feed: (publish) =>
        followCalls(sources.spans, (frame) => publish({ ...frame, ts: sources.clock.now() })),
    })
    this.#traceStarts = this.#spans(TRACES, { matches: startsTrace })
  }

  /** Publishes a load of the configuration, or one that failed. */
  config(change: ConfigChange): void {
    this.#config.publish({ ...change, ts: this.#sources.clock.now() })
  }

  /** Publishes that the pinned executions have changed. */
  pins(): void {
    this.#pins.publish({ type: 'pins:changed', data: {}, ts: this.#sources.clock.now() })
  }

  /** @throws AppError `invalid_input` for an unknown topic */
  get(name: string, options?: TopicOptions): Topic {
    if (name === this.#config.name) return this.#config
    if (name === this.#pins.name) return this.#pins
    if (name === EXECUTIONS) return this.#executions()
    if (name === LOGS) return this.#logs
    if (name === TRACES) return this.#traceStarts
    if (name === CALLS) return this.#calls
    const [, executionId = ''] = OF_EXECUTION.exec(name) ?? []
    if (isId(executionId))
      return createStoredTopic(executionEventFrames(executionId, this.#sources.executions(), options))
    const [, traceId] = OF_TRACE.exec(name) ?? []
    if (traceId !== undefined) return this.#trace(name, traceId)
    throw new AppError('invalid_input', `Unknown topic "${name}"`)
  }

  /** @throws AppError when a user may not read the topic */
  async check(name: string, access: CallerAccess): Promise<void> {
    if (name === EXECUTIONS && access.hasLimitedLists)
      throw new AppError(
        'forbidden',
        `The topic "${name}" has the executions of all users: use the console key`,
      )
    // the data of these channels
    if (name === LOGS) await access.to('stream', 'server', CHANNELS.logs.path)
    if (name === TRACES || name === CALLS || OF_TRACE.test(name))
      await access.to('stream', 'server', CHANNELS.observability.path)
    const [, executionId] = OF_EXECUTION.exec(name) ?? []
    if (executionId !== undefined) await access.toExecution('stream', { executionId })
  }

  #trace(name: string, traceId: string): Topic {
    const known = this.#traces.get(name)
    if (known) return known
    const topic = this.#spans(name, {
      matches: (span) => span.traceId === traceId,
      onBusy: () => this.#traces.set(name, topic),
      onIdle: () => this.#traces.delete(name),
    })
    return topic
  }

  #spans(name: string, { matches, onBusy, onIdle }: SpanTopicOptions): Topic {
    const { spans, clock } = this.#sources
    return new OnDemandTopic({
      name,
      feed: (publish) => {
        onBusy?.()
        return spans.subscribe(({ type, span: data }) => {
          if (matches(data)) publish({ type, ts: clock.now(), data })
        })
      },
      ...(onIdle && { onIdle }),
    })
  }
}

interface SpanTopicOptions {
  readonly matches: (span: Span) => boolean
  readonly onBusy?: () => void
  readonly onIdle?: () => void
}

/** Whether a span starts a trace of this server. A request's span may have a parent of the caller. */
function startsTrace({ parentSpanId, kind }: Span): boolean {
  return parentSpanId === null || kind === 'server'
}
