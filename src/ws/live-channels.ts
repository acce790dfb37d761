import type { Admission } from '../auth/admission.ts'
import type { CallerAccess } from '../auth/caller-access.ts'
import { VERSION } from '../lib/packages/version.ts'
import { channelRoutes } from './channels.ts'
import { consoleChannel } from './console-channel.ts'
import { logChannel } from './log-channel.ts'
import type { SocketRoutes } from './socket-routes.ts'
import { spanChannel } from './span-channel.ts'
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
    const topic = (name: string) => this.topics.get(name)
    const topicCheck = (admission: Admission) =>
      access(admission).hasLimitedReads
        ? (name: string) => this.topics.check(name, access(admission))
        : undefined
    this.routes = channelRoutes({
      console: consoleChannel({ version: VERSION, generation, topic, topicCheck }),
      logs: logChannel(sources.logs),
      observability: spanChannel(sources.spans),
    })
  }
}
