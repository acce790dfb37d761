import type { Gate } from '../../auth/gate.ts'
import type { RouteTarget } from '../../contract/route-pattern.ts'
import { classOf, securityOf } from './route-security.ts'

type Json = Readonly<Record<string, unknown>>

/** The paths of an API description, with the operations of each by method. */
export type Paths = Record<string, Record<string, Json>>

/** The methods that OpenAPI allows on a path. */
const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch'])
const ANY_METHOD = ['get', 'put', 'post', 'delete', 'patch']

export const CUSTOM_TAG = 'Custom'

/** Adds the custom routes to the paths of an API description. Their requests and responses are unknown. */
export function addCustomOperations(paths: Paths, routes: readonly RouteTarget[], gate: Gate): void {
  for (const { method, path } of routes) {
    const methods = method === 'ALL' ? ANY_METHOD : [method.toLowerCase()].filter((one) => METHODS.has(one))
    const key = findSameShape(paths, templateOf(path))
    for (const one of methods)
      (paths[key] ??= {})[one] ??= operation(key, { method: one.toUpperCase(), path }, gate)
  }
}

/** WebSocket endpoints by path, with their security, for an extension field: OpenAPI can't describe them. */
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
    summary: 'Custom route of the project',
    'x-access': classOf(gate, target),
    security: securityOf(gate, target),
    ...(names.length > 0 && {
      parameters: names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    }),
    responses: { default: { description: 'Response of the custom route' } },
  }
}

/** Hono's path as an OpenAPI path template; a wildcard becomes the parameter `rest`. */
function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)(?:\{[^}]*\})?\??/g, '{$1}').replace(/\*$/, '{rest}')
}

/** The known template that equals this one but for parameter names, which OpenAPI treats as the same path. */
function findSameShape(paths: Paths, template: string): string {
  const shape = (one: string) => one.replaceAll(/\{\w+\}/g, '{}')
  return Object.keys(paths).find((known) => shape(known) === shape(template)) ?? template
}
