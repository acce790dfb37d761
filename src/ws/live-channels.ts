import type { Admission } from '../auth/admission.ts'
import type { CallerAccess } from '../auth/caller-access.ts'
import { CHANNELS } from '../contract/channels.ts'
import { VERSION } from '../lib/packages/own-package.ts'
import { AppError } from '../lib/errors.ts'
import { channelRoutes } from './channels.ts'
import type { ChannelSource } from './channels.ts'
import { consoleChannel } from './console-channel.ts'
import type { SocketRoutes } from './socket-routes.ts'
import { spanChannel } from './span-channel.ts'
import type { TopicOptions } from './topic.ts'
import { Topics } from './topics.ts'
import type { TopicSources } from './topics.ts'
import { LOG_LEVELS } from '../contract/endpoints/log.ts'
import type { LogLevel, LogRecord } from '../contract/endpoints/log.ts'
import type { LogFeed } from '../observability/logs/log-feed.ts'
import { Outbox } from './outbox.ts'

interface LogQuery {
  readonly level?: LogLevel | undefined
  readonly q?: string | undefined
  readonly traceId?: string | undefined
  readonly executionId?: string | undefined
}

/** Sends new log records that match the query. */
export function logChannel(feed: LogFeed): ChannelSource<'logs'> {
  return (socket, query) => {
    const outbox = new Outbox(socket)
    const matches = createFilter(query)
    const unsubscribe = feed.subscribe((record) => {
      if (matches(record)) outbox.offer(JSON.stringify({ type: 'log', data: record }))
    })
    socket.on('close', unsubscribe)
  }
}

function createFilter({ level, q = '', traceId, executionId }: LogQuery): (record: LogRecord) => boolean {
  const lowest = level === undefined ? 0 : LOG_LEVELS.indexOf(level)
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  return (record) =>
    LOG_LEVELS.indexOf(record.level) >= lowest &&
    (traceId === undefined || record.traceId === traceId) &&
    (executionId === undefined || record.executionId === executionId) &&
    hasWords(record, words)
}

function hasWords({ message, attributes }: LogRecord, words: readonly string[]): boolean {
  if (words.length === 0) return true
  const text = `${message}\n${JSON.stringify(attributes)}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

interface LiveChannelsOptions extends TopicSources {
  /** The number of the generation in service; 0 while there is none. */
  readonly generation: () => number
  /** What an admitted caller may do, by the rules in force. */
  readonly access: (admission: Admission) => CallerAccess
}

/** The server's WebSocket channels and their topics. */
export class LiveChannels {
  readonly topics: Topics
  readonly routes: SocketRoutes

  constructor({ generation, access, ...sources }: LiveChannelsOptions) {
    this.topics = new Topics(sources)
    const topic = (name: string, options: TopicOptions) => this.topics.get(name, options)
    const topicCheck = (admission: Admission) =>
      access(admission).hasLimitedReads
        ? (name: string) => this.topics.check(name, access(admission))
        : undefined
    this.routes = channelRoutes({
      console: consoleChannel({ version: VERSION, generation, topic, topicCheck }),
      logs: allowed('logs', access, logChannel(sources.logs)),
      observability: allowed('observability', access, spanChannel(sources.spans)),
    })
  }
}

/** The close code for a policy violation. */
const POLICY_VIOLATION = 1008

/** A channel with data that has no owner: `authorize` decides about it as a whole, also by new rules. */
function allowed<K extends 'logs' | 'observability'>(
  key: K,
  access: LiveChannelsOptions['access'],
  source: ChannelSource<K>,
): ChannelSource<K> {
  const check = (admission: Admission) => access(admission).to('stream', 'server', CHANNELS[key].path)
  return async (socket, query, context) => {
    try {
      await check(context.admission)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'forbidden') throw error
      return socket.close(POLICY_VIOLATION, error.message)
    }
    context.onRenewed(check)
    // the client may have left meanwhile
    if (socket.readyState !== socket.OPEN) return
    return source(socket, query, context)
  }
}
