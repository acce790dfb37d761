import type { WebSocket } from 'ws'
import type { z } from 'zod'
import { CHANNELS } from '../contract/channels.ts'
import type { Channels } from '../contract/channels.ts'
import { AppError } from '../lib/errors.ts'
import { queryValues } from '../contract/fields.ts'
import { routeMatcher } from '../contract/route-pattern.ts'
import type { RouteMatcher } from '../contract/route-pattern.ts'
import { formatIssues } from '../lib/schema/schema.ts'
import type { Issue } from '../lib/schema/schema.ts'
import type { AdmittedSocket, SocketRoutes } from './socket-routes.ts'

type Key = keyof Channels
type ChannelContext = Pick<AdmittedSocket, 'admission' | 'onRenewed'>

/** Serves one socket of a channel, by the query of its handshake. The socket is closed when it throws. */
export type ChannelSource<K extends Key> = (
  socket: WebSocket,
  query: z.output<Channels[K]['query']>,
  context: ChannelContext,
) => void | Promise<void>

/** The source of each channel; a missing one is a compile error. */
export type ChannelSources = { readonly [K in Key]: ChannelSource<K> }

/** The routes of the server's channels. */
export function channelRoutes(sources: ChannelSources): SocketRoutes {
  const routes = (Object.keys(CHANNELS) as Key[]).map((key): ChannelRoute => {
    const { path, query } = CHANNELS[key]
    return { matches: routeMatcher([path]), query, serve: sources[key] }
  })
  return (path, request) => {
    const route = routes.find(({ matches }) => matches({ method: 'WS', path }))
    if (!route) return undefined
    // schema and source belong to the same channel, which the types can't express
    const query = validateQuery(route.query, request) as never
    return { handler: (socket, context) => route.serve(socket, query, context), params: {} }
  }
}

interface ChannelRoute {
  readonly matches: RouteMatcher
  readonly query: z.ZodObject
  readonly serve: (socket: WebSocket, query: never, context: ChannelContext) => void | Promise<void>
}

function validateQuery(schema: z.ZodObject, { url }: Request): unknown {
  const checked = schema.safeParse(queryValues(url))
  if (checked.success) return checked.data
  throw new AppError('invalid_input', formatIssues(checked.error.issues as Issue[], ''))
}
