import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required: boolean
    readonly schema: object
  }[]
  readonly requestBody?: {
    readonly required: boolean
    readonly content: Readonly<Record<string, { readonly schema: object }>>
  }
  readonly responses: Readonly<Record<string, Described>>
}

interface Described {
  readonly $ref?: string
  readonly headers?: object
  readonly content?: Readonly<Record<string, { readonly schema: object }>>
}

/** The document at `/doc`. */
export interface ApiDescription {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly responses: Readonly<Record<string, Described>>
  }
}

/** Compiles the schemas of an API description as strict JSON Schema 2020-12. */
export class ReplySchemas {
  readonly #description: ApiDescription
  readonly #ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true })
  readonly #compiled = new Map<string, ValidateFunction>()

  constructor(description: ApiDescription) {
    this.#description = description
    addFormats.default(this.#ajv)
    this.#ajv.addSchema({ $id: 'api', $defs: inDefs(description.components.schemas) })
  }

  compile(schema: object): ValidateFunction {
    const text = JSON.stringify(schema)
    const known = this.#compiled.get(text)
    if (known) return known
    const compiled = this.#ajv.compile(inDefs(schema))
    this.#compiled.set(text, compiled)
    return compiled
  }

  /** The operation of an endpoint, with its path. */
  operation(operationId: string): Operation & { readonly path: string; readonly method: string } {
    for (const [path, methods] of Object.entries(this.#description.paths))
      for (const [method, operation] of Object.entries(methods))
        if (operation.operationId === operationId) return { ...operation, path, method: method.toUpperCase() }
    throw new Error(`/doc has no operation ${operationId}`)
  }

  /** The schema that a reference names. */
  component(reference: string): object {
    return this.#description.components.schemas[reference.replace('#/components/schemas/', '')] ?? {}
  }

  #resolved(response: Described): Described {
    const name = response.$ref?.replace('#/components/responses/', '')
    return name === undefined ? response : (this.#description.components.responses[name] ?? {})
  }

  /** The differences of a reply, or of an event of a stream, from its description. Additional members count. */
  problemsOf(operationId: string, value: unknown, status = 200): string[] {
    const { content = {} } = this.#resolved(this.operation(operationId).responses[status] ?? {})
    const [described] = Object.values(content)
    if (!described) throw new Error(`/doc describes no ${status} of ${operationId}`)
    const validate = this.compile(described.schema)
    validate(value)
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    )
  }
}

/** Rewrites references to components as references to definitions, as in JSON Schema. */
function inDefs(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', 'api#/$defs/')) as object
}
