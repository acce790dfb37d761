import { initialValue } from './initial-value.ts'
import { isObject, propertiesOf, requiredOf, resolveSchema } from './json-schema.ts'
import type { JsonSchema } from './json-schema.ts'

const DECISION = /^(?:approved?|ok|accept.*)$/i

/**
 * The boolean that a request is about: a required one that is its only boolean, or that is named `approved`, `ok` or
 * `accept…`. Undefined when none or several are.
 */
export function decisionOf(schema: JsonSchema): string | undefined {
  const own = resolveSchema(schema, schema)
  const booleans = Object.entries(propertiesOf(own)).filter(
    ([, property]) => resolveSchema(property, schema)['type'] === 'boolean',
  )
  const fitting = booleans.filter(([name, property]) => {
    const { default: preset, enum: choices } = resolveSchema(property, schema)
    const isOpen = preset === undefined && choices === undefined && requiredOf(own).includes(name)
    return isOpen && (booleans.length === 1 || DECISION.test(name))
  })
  return fitting.length === 1 ? fitting[0]?.[0] : undefined
}

/** The schema of what is sent with a decision. Undefined if nothing is. */
export function withoutDecision(schema: JsonSchema, name: string): JsonSchema | undefined {
  const own = resolveSchema(schema, schema)
  const { [name]: _, ...rest } = propertiesOf(own)
  const required = requiredOf(own).filter((one) => one !== name)
  return Object.keys(rest).length === 0 ? undefined : { ...own, properties: rest, required }
}

const DECIDER = /^(?:by|approver|reviewer|\w+(?:By|_by))$/

/** The initial value of a form, with `user` where it names who responds. */
export function prefilled(schema: JsonSchema, user: string | undefined): unknown {
  const value = initialValue(schema, schema)
  if (user === undefined || !isObject(value)) return value
  const own = resolveSchema(schema, schema)
  const names = Object.entries(propertiesOf(own)).flatMap(([name, property]) =>
    DECIDER.test(name) && resolveSchema(property, schema)['type'] === 'string' ? [name] : [],
  )
  return { ...value, ...Object.fromEntries(names.map((name) => [name, user])) }
}

/** Whether a required value is missing: nobody has entered it, and it has no default. */
export function isIncomplete(schema: JsonSchema, value: unknown): boolean {
  const members = isObject(value) ? value : {}
  return requiredOf(resolveSchema(schema, schema)).some((name) =>
    [undefined, ''].includes(members[name] as string),
  )
}
