import type { WebSocket } from 'ws'
import type { z } from 'zod'
import { ChannelRequest } from '../contract/channels.ts'
import type { SocketHandler } from '../contract/socket.ts'
import { AppError } from '../lib/errors.ts'
import { parseJson } from '../lib/json.ts'
import type { Frame, Topic } from './topic.ts'

export interface ConsoleChannelOptions {
  readonly version: string
  /** The number of the configuration in service; 0 while there is none. */
  readonly generation: () => number
  readonly topics: readonly Topic[]
}

/** A reader that is this many bytes behind gets no more frames until it has caught up. */
const MAX_BEHIND = 1024 * 1024

type Wanted = z.infer<typeof ChannelRequest>['topics'][number]

/** Serves consoles: says hello, then sends the frames of the topics that are asked for. */
export function consoleChannel({ version, generation, topics }: ConsoleChannelOptions): SocketHandler {
  const byName = new Map(topics.map((topic) => [topic.name, topic]))
  return (socket) => {
    const subscriptions = new Map<string, () => void>()
    const subscribe = ({ topic: name, after }: Wanted) => {
      const topic = byName.get(name)
      if (!topic) return send(socket, { type: 'error', error: `There is no topic "${name}"` })
      subscriptions.get(name)?.()
      if (after !== undefined && after < topic.seq)
        send(socket, { type: 'gap', topic: name, from: topic.seq + 1 })
      subscriptions.set(name, topic.subscribe(boundedSender(socket)))
    }
    socket.on('message', (message: Buffer) => {
      try {
        for (const wanted of requestIn(message).topics) subscribe(wanted)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        send(socket, { type: 'error', error: error.message })
      }
    })
    socket.on('close', () => {
      for (const unsubscribe of subscriptions.values()) unsubscribe()
    })
    send(socket, { type: 'hello', version, generation: generation() })
  }
}

function requestIn(message: Buffer): z.infer<typeof ChannelRequest> {
  const checked = ChannelRequest.safeParse(parseJson(message.toString()))
  if (checked.success) return checked.data
  throw new AppError('invalid_input', 'Expected {"type":"subscribe","topics":[{"topic":"config","after":0}]}')
}

/** Sends frames while the reader keeps up; later it says how many were left out. */
function boundedSender(socket: WebSocket): (frame: Frame) => void {
  let dropped = 0
  return (frame) => {
    if (socket.bufferedAmount > MAX_BEHIND) {
      dropped++
      return
    }
    if (dropped > 0) send(socket, { type: 'dropped', topic: frame.topic, count: dropped })
    dropped = 0
    send(socket, frame)
  }
}

function send(socket: WebSocket, message: object): void {
  socket.send(JSON.stringify(message))
}
