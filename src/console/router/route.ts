import type { ComponentType } from 'react'

/** The path parameters of a screen. */
export interface ScreenProps {
  readonly params: Readonly<Record<string, string>>
}

/** One row of the route table. */
export interface Route {
  /** Relative to the console, with `:name` segments: `executions/:id`. */
  readonly path: string
  /** Loads the code of the screen. */
  readonly load: () => Promise<ComponentType<ScreenProps>>
}

export interface RouteMatch {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

/** The first route that matches a path. */
export function matchRoute(routes: readonly Route[], path: string): RouteMatch | undefined {
  const segments = path.split('/').filter((segment) => segment !== '')
  for (const route of routes) {
    const params = matchSegments(route.path, segments)
    if (params) return { route, params }
  }
  return undefined
}

function matchSegments(pattern: string, segments: readonly string[]): Record<string, string> | undefined {
  const expected = pattern.split('/').filter((segment) => segment !== '')
  if (expected.length !== segments.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of expected.entries()) {
    const segment = decode(segments[index] ?? '')
    if (part.startsWith(':')) params[part.slice(1)] = segment
    else if (part !== segment) return undefined
  }
  return params
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    // an invalid escape is taken literally
    return segment
  }
}
