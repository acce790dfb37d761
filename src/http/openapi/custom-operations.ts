import type { Gate } from '../../auth/gate.ts'
import type { RouteTarget } from '../../contract/route-pattern.ts'
import { classOf, securityOf } from './route-security.ts'

type Json = Readonly<Record<string, unknown>>

/** The paths of an API description, with the operations of each by method. */
export type Paths = Record<string, Record<string, Json>>

/** The methods that a path of an API description can have. */
const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch'])
const ALL = ['get', 'put', 'post', 'delete', 'patch']

export const CUSTOM_TAG = 'Custom'

/** Adds the user's own routes to the paths of an API description. What they take and answer is theirs to know. */
export function addCustomOperations(paths: Paths, routes: readonly RouteTarget[], gate: Gate): void {
  for (const { method, path } of routes) {
    const methods = method === 'ALL' ? ALL : [method.toLowerCase()].filter((one) => METHODS.has(one))
    const key = sameShape(paths, templateOf(path))
    for (const one of methods)
      (paths[key] ??= {})[one] ??= operation(key, { method: one.toUpperCase(), path }, gate)
  }
}

/** WebSocket endpoints by path, with what opens each. OpenAPI has no place of its own for them. */
export function socketOperations(paths: readonly string[], gate: Gate): Readonly<Record<string, Json>> {
  const described = paths.map((path) => {
    const target = { method: 'WS', path }
    return [path, { 'x-access': classOf(gate, target), security: securityOf(gate, target) }]
  })
  return Object.fromEntries(described) as Record<string, Json>
}

function operation(key: string, target: RouteTarget, gate: Gate): Json {
  const names = [...key.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  return {
    tags: [CUSTOM_TAG],
    summary: 'A route of the project',
    'x-access': classOf(gate, target),
    security: securityOf(gate, target),
    ...(names.length > 0 && {
      parameters: names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    }),
    responses: { default: { description: 'What the route answers' } },
  }
}

/** Hono's path as a template; a wildcard counts as one more parameter. */
function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)(?:\{[^}]*\})?\??/g, '{$1}').replace(/\*$/, '{rest}')
}

/** Templates that differ only in the names of their parameters are the same path. */
function sameShape(paths: Paths, template: string): string {
  const shape = (one: string) => one.replaceAll(/\{\w+\}/g, '{}')
  return Object.keys(paths).find((known) => shape(known) === shape(template)) ?? template
}
