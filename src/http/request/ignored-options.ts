import type { Logger } from 'pino'
import type { z } from 'zod'
import type { Endpoint } from '../../contract/endpoint.ts'
import { misspelledWords } from '../../lib/did-you-mean.ts'
import { AppError } from '../../lib/errors.ts'
import { shorten } from '../../lib/json/json-value.ts'

/** The response header that names the members of `options` that were ignored. */
export const IGNORED_OPTIONS_HEADER = 'X-Ignored-Options'

/** More unknown members are a mistake. The comparison of names with the known ones takes time. */
const MAX_UNKNOWN = 50

/** Names that are longer are not compared: no option is as long. */
const MAX_NAME = 64

/** A request with other names than these is logged no more: clients choose them. */
const MAX_LOGGED = 1000

/** The members that an object has, each with those within it. `undefined`: all, or none that are known. */
type Known = ReadonlyMap<string, Known | undefined>

/** Finds the members of `options` that endpoints do not know, so that none of them is lost silently. */
export class IgnoredOptions {
  readonly #logger: Logger
  readonly #logged = new Set<string>()
  readonly #known = new WeakMap<Endpoint, Known>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /**
   * The value of the header for a body that is valid: the names of the ignored members. `undefined` without any.
   *
   * @throws AppError `invalid_input` for a name that is similar to a known one, with that.
   */
  in(endpoint: Endpoint, body: unknown): string | undefined {
    if (!isRecord(body) || !isRecord(body['options']) || !endpoint.body?.shape['options']) return undefined
    const known = this.#known.get(endpoint) ?? membersOf(endpoint.body.shape['options'] as z.core.$ZodType)
    if (!known) return undefined
    this.#known.set(endpoint, known)
    const names = unknownIn(body['options'], known, '')
    if (names.length === 0) return undefined
    for (const name of names) this.#log(name, endpoint)
    return names.join(', ')
  }

  #log(name: string, { method, path }: Endpoint): void {
    if (this.#logged.has(name) || this.#logged.size >= MAX_LOGGED) return
    this.#logged.add(name)
    this.#logger.warn(`${method} ${path}: options.${name} is not known and was ignored`)
  }
}

/** The names of unknown members, as in headers. */
function unknownIn(value: Readonly<Record<string, unknown>>, known: Known, at: string): string[] {
  const unknown = Object.keys(value).filter((name) => !known.has(name))
  if (unknown.length > MAX_UNKNOWN)
    throw new AppError(
      'invalid_input',
      `options${at && `.${at.slice(0, -1)}`}: Has over ${MAX_UNKNOWN} unknown members`,
    )
  for (const name of unknown) {
    const [similar] = name.length > MAX_NAME ? [] : misspelledWords(name, [...known.keys()])
    if (similar !== undefined)
      throw new AppError('invalid_input', `options.${at}${name}: Unknown option. Did you mean "${similar}"?`)
  }
  const nested = [...known].flatMap(([name, members]) => {
    const member = members && Object.hasOwn(value, name) ? value[name] : undefined
    return members && isRecord(member) ? unknownIn(member, members, `${at}${name}.`) : []
  })
  return [...unknown.map((name) => at + headerText(name)), ...nested]
}

function headerText(name: string): string {
  return shorten(name, MAX_NAME).replaceAll(/[^\w.$-]/g, '_')
}

function membersOf(schema: z.core.$ZodType): Known | undefined {
  const { def } = schema._zod as { readonly def: z.core.$ZodTypeDef }
  if (isType<z.core.$ZodOptionalDef>(def, 'optional')) return membersOf(def.innerType)
  if (isType<z.core.$ZodPipeDef>(def, 'pipe')) return membersOf(def.in)
  if (isType<z.core.$ZodUnionDef>(def, 'union'))
    return new Map(def.options.flatMap((option) => [...(membersOf(option) ?? [])]))
  if (!isType<z.core.$ZodObjectDef>(def, 'object') || def.catchall) return undefined
  return new Map(Object.entries(def.shape).map(([name, member]) => [name, membersOf(member)]))
}

function isType<Def extends z.core.$ZodTypeDef>(def: z.core.$ZodTypeDef, type: Def['type']): def is Def {
  return def.type === type
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
