import type { WebSocket } from 'ws'
import type { User } from './auth.ts'

/** What a WebSocket handler gets beside the socket. */
export interface SocketContext {
  /** Who opened it, where the auth provider told it. */
  readonly user: User | undefined
  /** The handshake. */
  readonly request: Request
  /** The values of the path's `:name` segments. */
  readonly params: Readonly<Record<string, string>>
}

/** Serves one WebSocket. Ends with the socket; what it throws closes it. */
export type SocketHandler = (socket: WebSocket, context: SocketContext) => void | Promise<void>
