import type { Admission } from '../auth/admission.ts'
import type { CallerAccess } from '../auth/caller-access.ts'
import { CHANNELS } from '../contract/channels.ts'
import { VERSION } from '../lib/packages/version.ts'
import { AppError } from '../lib/errors.ts'
import { channelRoutes } from './channels.ts'
import type { ChannelSource } from './channels.ts'
import { consoleChannel } from './console-channel.ts'
import { logChannel } from './log-channel.ts'
import type { SocketRoutes } from './socket-routes.ts'
import { spanChannel } from './span-channel.ts'
import type { TopicOptions } from './topic.ts'
import { Topics } from './topics.ts'
import type { TopicSources } from './topics.ts'

export interface LiveChannelsOptions extends TopicSources {
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
