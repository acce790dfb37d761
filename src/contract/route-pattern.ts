/** The methods a pattern may name. `WS` stands for a WebSocket handshake. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'WS'] as const

/** A request as patterns see it: the method, and the path that is dispatched. */
export interface RouteTarget {
  readonly method: string
  readonly path: string
}

export type RouteMatcher = (target: RouteTarget) => boolean

/** Why a text is no route pattern; `undefined` when it is one. */
export function patternProblem(pattern: unknown): string | undefined {
  if (typeof pattern !== 'string') return 'must be a string such as "GET /reports/:id"'
  const { method, path } = split(pattern)
  if (method !== undefined && !METHODS.some((known) => known === method))
    return `"${method}" is not a method; use one of ${METHODS.join(', ')}, or none for all`
  if (!path.startsWith('/')) return 'the path must start with "/"'
  if (/[?#\s]/.test(path)) return 'the path must have no query, fragment or spaces'
  const segments = path.slice(1).split('/')
  if (segments.some((segment, index) => segment.includes('*') && !isLastWildcard(segments, index)))
    return '"*" and "**" must be the last segment, alone'
  if (path !== '/' && segments.includes('')) return 'the path must have no empty segments'
  if (segments.some((segment) => segment.startsWith(':') && !/^:\w+$/.test(segment)))
    return 'a parameter is ":" and a name of letters, digits and "_"'
  return undefined
}

/**
 * A matcher for patterns of the form `METHOD /path`, where the method may be left out, `:name` stands for one
 * segment, and a last `*` or `**` for the prefix itself and everything below. GET covers HEAD.
 */
export function routeMatcher(patterns: readonly string[]): RouteMatcher {
  const compiled = patterns.map((pattern) => {
    const { method, path } = split(pattern)
    return { method, test: pathTest(path) }
  })
  return ({ method, path }) => {
    const asked = method === 'HEAD' ? 'GET' : method
    return compiled.some(
      (one) =>
        (one.method === undefined || one.method === asked || one.method === method) && one.test.test(path),
    )
  }
}

function split(pattern: string): { method: string | undefined; path: string } {
  const [, method, path = ''] = /^(?:([A-Za-z]+)\s+)?(.*)$/s.exec(pattern.trim()) ?? []
  return { method: method?.toUpperCase(), path }
}

function isLastWildcard(segments: readonly string[], index: number): boolean {
  return index === segments.length - 1 && (segments[index] === '*' || segments[index] === '**')
}

function pathTest(path: string): RegExp {
  const wildcard = /\/\*\*?$/.test(path)
  const segments = path
    .replace(/\/\*\*?$/, '')
    .split('/')
    .slice(1)
  const fixed = segments
    .map((segment) => `/${segment.startsWith(':') ? '[^/]+' : escapeRegExp(segment)}`)
    .join('')
  return new RegExp(wildcard ? `^${fixed}(?:/.*)?$` : `^${fixed}$`, 's')
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
