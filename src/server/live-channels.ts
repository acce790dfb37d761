import { VERSION } from '../lib/packages/version.ts'
import { channelRoutes } from '../ws/channels.ts'
import { consoleChannel } from '../ws/console-channel.ts'
import { logChannel } from '../ws/log-channel.ts'
import type { SocketRoutes } from '../ws/socket-routes.ts'
import { spanChannel } from '../ws/span-channel.ts'
import { Topics } from '../ws/topics.ts'
import type { TopicSources } from '../ws/topics.ts'

export interface LiveChannelsOptions extends TopicSources {
  /** The number of the configuration in service; 0 while there is none. */
  readonly generation: () => number
}

/** The server's own WebSocket channels, and what is told there. */
export class LiveChannels {
  readonly topics: Topics
  readonly routes: SocketRoutes

  constructor({ generation, ...sources }: LiveChannelsOptions) {
    this.topics = new Topics(sources)
    const topic = (name: string) => this.topics.get(name)
    this.routes = channelRoutes({
      console: consoleChannel({ version: VERSION, generation, topic }),
      logs: logChannel(sources.logs),
      observability: spanChannel(sources.spans),
    })
  }
}
