import type { WebSocket } from 'ws'
import type { Admission } from '../auth/admission.ts'
import type { SocketContext, SocketHandler } from '../contract/channels.ts'

/** The context of a socket, and how it was admitted. */
export interface AdmittedSocket extends SocketContext {
  readonly admission: Admission
  /** Calls `check` when new rules admit the socket, with how they do. The socket is closed when it rejects. */
  readonly onRenewed: (check: RenewalCheck) => void
}

export type RenewalCheck = (admission: Admission) => Promise<void>

export interface SocketMatch {
  readonly handler: (socket: WebSocket, context: AdmittedSocket) => void | Promise<void>
  readonly params: Readonly<Record<string, string>>
}

/**
 * Finds the first handler whose path matches.
 *
 * @throws AppError `invalid_input` when the query of the handshake is not valid for the handler.
 */
export type SocketRoutes = (path: string, request: Request) => SocketMatch | undefined

/** Creates the routes of a configuration's `webSockets`: paths with `:name` segments and their handlers. */
export function socketRoutes(endpoints: Readonly<Record<string, SocketHandler>>): SocketRoutes {
  const routes = Object.entries(endpoints).map(([path, handler]) => ({ test: pathTest(path), handler }))
  return (path) => {
    for (const { test, handler } of routes) {
      const match = test.exec(path)
      if (match) return { handler, params: { ...match.groups } }
    }
    return undefined
  }
}

function pathTest(path: string): RegExp {
  const segments = path.split('/').map((segment) => {
    if (segment.startsWith(':')) return `(?<${segment.slice(1)}>[^/]+)`
    return segment.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${segments.join('/')}$`)
}
