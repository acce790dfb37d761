import type { Gate } from '../../auth/gate.ts'
import type { RouteTarget } from '../../contract/route-pattern.ts'
import type { Json } from './components.ts'
import { pathParameters, templateOf } from './path-template.ts'
import { classOf, securityOf } from './route-security.ts'

/** The paths of an API description, with the operations of each by method. */
export type Paths = Record<string, Record<string, Json>>

/** The methods that OpenAPI allows on a path. */
const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch'])
const ANY_METHOD = ['get', 'put', 'post', 'delete', 'patch']

export const CUSTOM_TAG = { name: 'Custom', description: 'Routes of the project, from configureApp' }

/** Adds the custom routes to the paths of an API description. Their requests and responses are unknown. */
export function addCustomOperations(paths: Paths, routes: readonly RouteTarget[], gate: Gate): void {
  const ids = new Set<string>()
  for (const { method, path } of routes) {
    const methods = method === 'ALL' ? ANY_METHOD : [method.toLowerCase()].filter((one) => METHODS.has(one))
    const key = findSameShape(paths, templateOf(path))
    for (const one of methods) {
      if (paths[key]?.[one]) continue
      const id = uniqueId(one, key, ids)
      ;(paths[key] ??= {})[one] = {
        operationId: id,
        ...operation(key, { method: one.toUpperCase(), path }, gate),
      }
    }
  }
}

/** An operation id such as `customGetItemsId`. No endpoint of the server has one that starts with `custom`. */
function uniqueId(method: string, template: string, taken: Set<string>): string {
  const words = [method, ...template.split(/[^A-Za-z0-9]+/)].filter((word) => word !== '')
  const base = `custom${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}`
  let id = base
  for (let count = 2; taken.has(id); count++) id = `${base}${count}`
  taken.add(id)
  return id
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
  const parameters = pathParameters(key)
  return {
    tags: [CUSTOM_TAG.name],
    // it has no method in the client, and its requests are unknown
    'x-custom': true,
    summary: 'Custom route of the project',
    'x-access': classOf(gate, target),
    security: securityOf(gate, target),
    ...(parameters.length > 0 && { parameters }),
    responses: {
      '4XX': { description: 'Refused by the server or by the custom route' },
      default: { description: 'Response of the custom route' },
    },
  }
}

/** The known template that equals this one but for parameter names, which OpenAPI treats as the same path. */
function findSameShape(paths: Paths, template: string): string {
  const shape = (one: string) => one.replaceAll(/\{[^}]+\}/g, '{}')
  return Object.keys(paths).find((known) => shape(known) === shape(template)) ?? template
}
