import type { ComponentType } from 'react'

/** What a screen gets of the address it is at. */
export interface ScreenProps {
  readonly params: Readonly<Record<string, string>>
}

/** One row of the route table. */
export interface Route {
  /** Below the console's address, with `:name` segments: `executions/:id`. */
  readonly path: string
  /** Fetches the screen's code; it is rendered when it is there. */
  readonly load: () => Promise<ComponentType<ScreenProps>>
}

export interface RouteMatch {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

/** The first route that a path fits. */
export function matchRoute(routes: readonly Route[], path: string): RouteMatch | undefined {
  const segments = path.split('/').filter((segment) => segment !== '')
  for (const route of routes) {
    const params = fit(route.path, segments)
    if (params) return { route, params }
  }
  return undefined
}

function fit(pattern: string, segments: readonly string[]): Record<string, string> | undefined {
  const wanted = pattern.split('/').filter((segment) => segment !== '')
  if (wanted.length !== segments.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
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
    // a broken escape stands for itself
    return segment
  }
}
