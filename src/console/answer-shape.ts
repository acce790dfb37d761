import { z } from 'zod'
import type { Shape } from './api/fill-missing.ts'

type JsonSchema = z.core.JSONSchema.BaseSchema

/** The shape of a response, from its schema; undefined when nothing in it is required. Used by the build only. */
export function answerShape(schema: z.ZodType): Shape | undefined {
  const root = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' })
  return shapeOf(root, root, [])
}

function shapeOf(schema: JsonSchema, root: JsonSchema, open: readonly string[]): Shape | undefined {
  const { $ref, anyOf, allOf } = schema
  if ($ref !== undefined) {
    const inner = root.$defs?.[$ref.replace('#/$defs/', '')]
    // a recursive value has the shape of its outer one only
    return inner && !open.includes($ref) ? shapeOf(inner, root, [...open, $ref]) : undefined
  }
  const of = (inner: unknown) => shapeOf(inner as JsonSchema, root, open)
  if (anyOf) {
    const others = anyOf.filter(({ type }) => type !== 'null')
    if (others.length === anyOf.length) return undefined
    const shape = others.length === 1 ? of(others[0]) : undefined
    return typeof shape === 'object' && shape !== null ? { '?': shape } : null
  }
  if (isNullable(schema)) return null
  if (allOf) return Object.assign({}, ...allOf.map(of)) as Shape
  if (schema.type === 'number' || schema.type === 'integer') return 0
  if (schema.type === 'string') return ''
  if (schema.type === 'array') {
    const item = of(schema.items ?? {})
    return typeof item === 'object' && item !== null ? [item] : []
  }
  return schema.type === 'object' ? objectShape(schema, of) : undefined
}

function objectShape(schema: JsonSchema, of: (inner: unknown) => Shape | undefined): Shape {
  const required = new Set(schema.required)
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const shape = of(inner)
    if (required.has(name)) return shape === undefined ? [] : [[name, shape] as const]
    // an optional value is not filled, but what is inside of it
    const isDeep = typeof shape === 'object' && shape !== null && Object.keys(shape).length > 0
    return isDeep ? [[`${name}?`, shape] as const] : []
  })
  return Object.fromEntries(fields)
}

/** Whether its type is written as `['string', 'null']`. */
function isNullable({ type }: JsonSchema): boolean {
  return Array.isArray(type) && type.includes('null')
}
