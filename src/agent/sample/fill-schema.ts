import { isSchemaObject } from '../../lib/schema/json-schema.ts'
import type { JsonSchema } from '../../lib/schema/json-schema.ts'
import { extractFacts } from '../models/demo/text-facts.ts'
import type { TextFacts } from '../models/demo/text-facts.ts'
import { findNumber, makeNumber } from './fill-number.ts'
import { findString, makeString } from './fill-string.ts'
import { flattenSchema, mergeSchemas } from './merge-schema.ts'

/**
 * A value for a JSON Schema that contains the values from `text` that fit: `{ city: 'Paris' }` for "weather in Paris".
 * Deterministic. Optional members are omitted unless the text has a value for them. The keywords `not`, `if`,
 * `contains`, `dependentSchemas`, `dependentRequired`, `uniqueItems` and `patternProperties` are ignored.
 */
export function fillSchema(schema: JsonSchema, text: string): unknown {
  const filler = new SchemaFiller(schema, extractFacts(text))
  return filler.fill(schema, { name: '', depth: 0, required: true }) ?? null
}

/** The place of a value. An optional one is only filled from the text. */
interface Slot {
  readonly name: string
  readonly depth: number
  readonly required: boolean
}

/** From this depth on, recursive schemas are ended with the simplest values. */
const SIMPLIFY_DEPTH = 3
const MAX_DEPTH = 24
const MAX_VALUES = 5000
const CHARACTERS_PER_VALUE = 100
const MAX_ITEMS = 100

class SchemaFiller {
  readonly #root: JsonSchema
  readonly #facts: TextFacts
  #left = MAX_VALUES

  constructor(root: JsonSchema, facts: TextFacts) {
    this.#root = root
    this.#facts = facts
  }

  /** The value; `undefined` when it is optional and the text has none for it. */
  fill(source: unknown, slot: Slot): unknown {
    if (slot.depth > MAX_DEPTH || --this.#left < 0) return slot.required ? null : undefined
    const schema = flattenSchema(source, this.#root)
    if ('const' in schema) return slot.required ? this.#charged(schema['const']) : undefined
    if (Array.isArray(schema['enum'])) return this.#charged(this.#fillEnum(schema['enum'], schema, slot))
    for (const keyword of ['anyOf', 'oneOf']) {
      const { [keyword]: alternatives, ...rest } = schema
      if (Array.isArray(alternatives)) return this.#fillAlternative(alternatives, rest, slot)
    }
    return this.#fillType(schema, slot)
  }

  #fillEnum(values: readonly unknown[], schema: JsonSchema, slot: Slot): unknown {
    const types = schema['type'] === undefined ? undefined : new Set([schema['type']].flat())
    const possible = types?.has('null') === false ? values.filter((value) => value !== null) : values
    const mentioned = possible.find((value) => this.#mentions(value))
    if (mentioned !== undefined || !slot.required) return mentioned
    return 'default' in schema ? schema['default'] : possible[0]
  }

  #mentions(value: unknown): boolean {
    if (typeof value === 'number') return this.#facts.numbers.take((number) => number === value) !== undefined
    if (typeof value !== 'string' || value === '') return false
    const escaped = value.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
    return new RegExp(String.raw`(?<![\p{L}\p{N}])${escaped}(?![\p{L}\p{N}])`, 'iu').test(this.#facts.text)
  }

  #fillAlternative(alternatives: readonly unknown[], rest: JsonSchema, slot: Slot): unknown {
    const flat = alternatives.map((alternative) => mergeSchemas(rest, flattenSchema(alternative, this.#root)))
    const literal = flat.find((schema) => this.#mentions(schema['const']))
    if (literal !== undefined) return this.#charged(literal['const'])
    for (const schema of flat) {
      const found = this.fill(schema, { ...slot, depth: slot.depth + 1, required: false })
      if (found !== undefined) return found
    }
    if (!slot.required) return undefined
    if ('default' in rest) return this.#charged(rest['default'])
    const chosen = this.#choose(flat, slot.depth)
    return this.fill(chosen, { ...slot, depth: slot.depth + 1 })
  }

  /** The variant with a tag in the text, otherwise the first that is not null; from a certain depth, the simplest. */
  #choose(alternatives: readonly JsonSchema[], depth: number): JsonSchema {
    if (depth >= SIMPLIFY_DEPTH)
      return alternatives.toSorted((one, other) => costOf(one) - costOf(other))[0] ?? {}
    const isTagged = (schema: JsonSchema) =>
      isSchemaObject(schema['properties']) &&
      Object.values(schema['properties']).some(
        (member) => isSchemaObject(member) && this.#mentions(member['const']),
      )
    return (
      alternatives.find(isTagged) ??
      alternatives.find((schema) => costOf(schema) > 0) ??
      alternatives[0] ??
      {}
    )
  }

  #fillType(schema: JsonSchema, slot: Slot): unknown {
    const field = { schema, name: slot.name, facts: this.#facts }
    switch (typeOf(schema)) {
      case 'object':
        return slot.required ? this.#fillObject(schema, slot.depth) : undefined
      case 'array':
        return this.#fillArray(schema, slot)
      case 'integer':
      case 'number':
        return (
          findNumber(schema, this.#facts.numbers) ??
          (slot.required ? makeNumber(schema, this.#facts.numbers) : undefined)
        )
      case 'boolean':
        return slot.required
          ? this.#charged(schema['default'] ?? !/\b(?:no|not|false|off|never)\b/i.test(this.#facts.text))
          : undefined
      case 'null':
        return slot.required ? null : undefined
      default:
        return this.#charged(findString(field) ?? (slot.required ? makeString(field) : undefined))
    }
  }

  /** Counts a long text or literal as several values, so that the whole value is limited too. */
  #charged<T>(value: T): T {
    const length = value === undefined ? 0 : JSON.stringify(value).length
    this.#left -= Math.floor(length / CHARACTERS_PER_VALUE)
    return value
  }

  #fillObject(schema: JsonSchema, depth: number): Record<string, unknown> {
    const properties = isSchemaObject(schema['properties']) ? schema['properties'] : {}
    const required = new Set(textsOf(schema['required']))
    const extra = schema['additionalProperties']
    const filled = new Map<string, unknown>()
    const add = (name: string, member: unknown, isRequired: boolean) => {
      const value = this.fill(member, { name, depth: depth + 1, required: isRequired })
      if (value !== undefined) filled.set(name, value)
    }
    // required members first: each value of the text is used once
    for (const name of required) add(name, Object.hasOwn(properties, name) ? properties[name] : extra, true)
    const max = numberOr(schema['maxProperties'], Infinity)
    const optional = Object.entries(properties).filter(
      ([name, member]) => !required.has(name) && member !== false,
    )
    for (const [name, member] of optional)
      if (depth < SIMPLIFY_DEPTH && filled.size < max) add(name, member, false)
    const min = Math.min(numberOr(schema['minProperties'], 0), MAX_ITEMS)
    for (const [name, member] of optional) if (filled.size < min && !filled.has(name)) add(name, member, true)
    for (const name of this.#newNames(schema))
      if (filled.size < min && !filled.has(name)) add(name, extra, true)
    return inOrder(filled, Object.keys(properties))
  }

  #newNames(schema: JsonSchema): readonly string[] {
    if (schema['additionalProperties'] === false) return []
    const names = flattenSchema(schema['propertyNames'], this.#root)['enum']
    if (Array.isArray(names)) return textsOf(names)
    return Array.from({ length: MAX_ITEMS }, (_, index) => `key${index + 1}`)
  }

  #fillArray(schema: JsonSchema, slot: Slot): unknown[] | undefined {
    const { prefixItems, items = {} } = schema
    const next = { name: slot.name, depth: slot.depth + 1 }
    const first = Array.isArray(prefixItems) ? prefixItems : []
    if (!slot.required && (first.length > 0 || slot.depth > SIMPLIFY_DEPTH)) return undefined
    const values = first.map((item) => this.fill(item, { ...next, required: true }))
    if (items === false) return values
    const max = Math.min(numberOr(schema['maxItems'], MAX_ITEMS), MAX_ITEMS)
    this.#collect(values, { item: items, slot: { ...next, required: false }, max })
    if (values.length === 0 && !slot.required) return undefined
    const wanted = slot.depth >= SIMPLIFY_DEPTH || first.length > 0 ? 0 : 1
    const min = Math.min(Math.max(numberOr(schema['minItems'], 0), Math.min(wanted, max)), 10 * MAX_ITEMS)
    while (values.length < min) values.push(this.fill(items, { ...next, required: true }))
    return values
  }

  /** Adds the values of the text to a list. Only numbers may be repeated. */
  #collect(values: unknown[], { item, slot, max }: { item: unknown; slot: Slot; max: number }): void {
    while (values.length < max) {
      const found = this.fill(item, slot)
      if (found === undefined || (typeof found !== 'number' && values.includes(found))) return
      values.push(found)
    }
  }
}

function inOrder(filled: ReadonlyMap<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const declared = names.filter((name) => filled.has(name))
  return Object.fromEntries(
    [...new Set([...declared, ...filled.keys()])].map((name) => [name, filled.get(name)]),
  )
}

function textsOf(values: unknown): string[] {
  return Array.isArray(values) ? values.filter((value) => typeof value === 'string') : []
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}

/** The type of the value to generate: the first that is not null, otherwise derived from the other keywords. */
function typeOf(schema: JsonSchema): unknown {
  const types = [schema['type'] ?? []].flat()
  const type: unknown = types.find((type) => type !== 'null') ?? types[0]
  if (type !== undefined) return type
  if ('properties' in schema || 'required' in schema || 'additionalProperties' in schema) return 'object'
  if ('items' in schema || 'prefixItems' in schema) return 'array'
  const isNumber = 'minimum' in schema || 'maximum' in schema || 'multipleOf' in schema
  return isNumber ? 'number' : 'string'
}

/** The estimated complexity of a variant; 0 for null. */
function costOf(schema: JsonSchema): number {
  const cost: Readonly<Record<string, number>> = { null: 0, array: 2, object: 3 }
  if ('$ref' in schema) return 4
  return schema['const'] === null ? 0 : (cost[String(typeOf(schema))] ?? 1)
}
