import { createServer } from '../../../src/server/create-server.ts'
import type { JsonSchema } from './json-schema.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonSchema
}

type Content = Readonly<Record<string, { readonly schema?: JsonSchema }>>

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly 'x-access': 'public' | 'console' | 'user'
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<
    Record<string, { readonly content?: Content; readonly headers?: object; readonly $ref?: string }>
  >
}

/** What `GET /doc` returns, as far as the reference pages use it. */
export interface ApiDescription {
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

/** The description of the API that a server without a configuration serves. */
export async function apiDescription(): Promise<ApiDescription> {
  const server = createServer({ database: ':memory:' }, { production: false })
  try {
    const response = await server.fetch(new Request('http://localhost/doc'))
    return (await response.json()) as ApiDescription
  } finally {
    await server.close()
  }
}

/** An operation with its method and its path, which has `:name` segments. */
export interface Endpoint extends Operation {
  readonly route: string
  readonly method: string
  readonly path: string
}

export function endpointsOf({ paths }: ApiDescription): Endpoint[] {
  return Object.entries(paths).flatMap(([template, operations]) =>
    Object.entries(operations).map(([verb, operation]) => {
      const method = verb.toUpperCase()
      const path = template.replaceAll(/\{(\w+)\}/g, ':$1')
      return { ...operation, method, path, route: `${method} ${path}` }
    }),
  )
}

/** The method of an endpoint in `client.api`. */
export function clientMethod({ operationId, tags }: Endpoint): string {
  return tags.includes('Console') ? `console.${operationId}` : operationId
}
