/** The methods of a pattern. `WS` means a WebSocket handshake. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'WS'] as const

/** The properties of a request that patterns match: the method and the dispatched path. */
export interface RouteTarget {
  readonly method: string
  readonly path: string
}

export type RouteMatcher = (target: RouteTarget) => boolean

/** Why a text is not a valid route pattern; `undefined` when it is. */
export function patternProblem(pattern: unknown): string | undefined {
  if (typeof pattern !== 'string') return 'must be a string such as "GET /reports/:id"'
  const { method, path } = split(pattern)
  if (method !== undefined && !METHODS.some((known) => known === method))
    return `"${method}" is not a supported method; use one of ${METHODS.join(', ')}, or no method for all`
  if (!path.startsWith('/')) return 'the path must start with "/"'
  if (/[?#\s]/.test(path)) return 'the path must not contain a query, fragment or spaces'
  const segments = path.slice(1).split('/')
  if (segments.some((segment, index) => segment.includes('*') && !isLastWildcard(segments, index)))
    return '"*" and "**" must be the whole last segment'
  if (path !== '/' && segments.includes('')) return 'the path must not contain empty segments'
  if (segments.some((segment) => segment.startsWith(':') && !/^:\w+$/.test(segment)))
    return 'a parameter must be ":" and a name of letters, digits and "_"'
  return undefined
}

/**
 * Creates a matcher for patterns of the form `METHOD /path`. The method is optional, `:name` matches one segment, and
 * a last segment `*` or `**` matches the prefix and everything below it. GET includes HEAD.
 */
export function routeMatcher(patterns: readonly string[]): RouteMatcher {
  const compiled = patterns.map((pattern) => {
    const { method, path } = split(pattern)
    return { method, test: pathTest(path) }
  })
  return ({ method, path }) => {
    const baseMethod = method === 'HEAD' ? 'GET' : method
    return compiled.some(
      (one) =>
        (one.method === undefined || one.method === baseMethod || one.method === method) &&
        one.test.test(path),
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
