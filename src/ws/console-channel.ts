import type { Admission } from '../auth/admission.ts'
import { ChannelRequest } from '../contract/channels.ts'
import { AppError } from '../lib/errors.ts'
import { parseJson } from '../lib/json/parse-json.ts'
import { formatIssues } from '../lib/schema/schema.ts'
import type { ChannelSource } from './channels.ts'
import { Subscriptions } from './subscriptions.ts'
import type { Topic, TopicOptions } from './topic.ts'

export interface ConsoleChannelOptions {
  readonly version: string
  /** The number of the generation in service; 0 while there is none. */
  readonly generation: () => number
  /** @throws AppError for an unknown topic. */
  readonly topic: (name: string, options: TopicOptions) => Topic
  /** Rejects with AppError for topics that a user may not read; `undefined` for callers who may read all. */
  readonly topicCheck: (admission: Admission) => ((name: string) => Promise<void>) | undefined
}

/** Serves the console: sends `hello`, then the frames of subscribed topics. */
export function consoleChannel({
  version,
  generation,
  topic,
  topicCheck,
}: ConsoleChannelOptions): ChannelSource<'console'> {
  return (socket, _, context) =>
    new Promise<void>((resolve, reject) => {
      let { admission } = context
      const subscriptions = new Subscriptions(socket, {
        topic,
        check: () => topicCheck(admission),
        onFailure: reject,
      })
      socket.on('message', (message: Buffer) => {
        try {
          subscriptions.handle(parseRequest(message))
        } catch (error) {
          subscriptions.reject(error)
        }
      })
      context.onRenewed((renewed) => {
        admission = renewed
        return subscriptions.checkAgain()
      })
      socket.on('close', () => {
        subscriptions.close()
        resolve()
      })
      subscriptions.send({ type: 'hello', version, generation: generation() })
    })
}

function parseRequest(message: Buffer): ChannelRequest {
  const checked = ChannelRequest.safeParse(parseJson(message.toString()))
  if (checked.success) return checked.data
  const { issues } = checked.error as { issues: Parameters<typeof formatIssues>[0] }
  throw new AppError(
    'invalid_input',
    `Expected {"type":"subscribe","topics":[{"topic":"executions","after":0}]}; ${formatIssues(issues, 'message')}`,
  )
}
