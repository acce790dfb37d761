import type { SocketHandler } from '../contract/channels.ts'

export interface SocketMatch {
  readonly handler: SocketHandler
  readonly params: Readonly<Record<string, string>>
}

/**
 * Finds the handler of a path, the first that fits.
 *
 * @throws AppError `invalid_input` when the handshake's query is not what the handler takes.
 */
export type SocketRoutes = (path: string, request: Request) => SocketMatch | undefined

/** Prepares the `webSockets` of a configuration: paths with `:name` segments and their handlers. */
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
