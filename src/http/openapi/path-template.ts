import type { Json } from './components.ts'

/** A parameter of a route, with its pattern, which may have groups of digits such as `{4}`. */
const PARAMETER = /:([^/{}?]+)(?:\{(?:[^{}]|\{[^{}]*\})*\})?\??/g

/** Hono's path as an OpenAPI path template. A wildcard becomes the parameter `rest`. */
export function templateOf(path: string, rest = 'rest'): string {
  let wildcards = 0
  return path
    .replaceAll(PARAMETER, '{$1}')
    .replaceAll(/\*/g, () => `{${rest}${++wildcards === 1 ? '' : wildcards}}`)
}

/** The parameters of a path template whose values are any text. */
export function pathParameters(template: string): Json[] {
  const names = [...template.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name)
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
}
