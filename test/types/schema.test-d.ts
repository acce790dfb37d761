import { type } from 'arktype'
import * as v from 'valibot'
import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod3'
import type { JsonValue } from '../../src/lib/json/json-value.ts'
import { compileSchema, type InferInput, type InferOutput, type Schema } from '../../src/lib/schema/schema.ts'

const zod4 = z.object({ id: z.string(), count: z.string().transform(Number), size: z.number().default(1) })
expectTypeOf<InferOutput<typeof zod4>>().toEqualTypeOf<{ id: string; count: number; size: number }>()
expectTypeOf<InferInput<typeof zod4>>().toEqualTypeOf<{
  id: string
  count: string
  size?: number | undefined
}>()
// @ts-expect-error the output's count is a number
expectTypeOf<InferOutput<typeof zod4>>().toEqualTypeOf<{ id: string; count: string; size: number }>()

const zod3 = z3.object({ id: z3.string(), count: z3.string().transform(Number) })
expectTypeOf<InferOutput<typeof zod3>>().toEqualTypeOf<{ id: string; count: number }>()
expectTypeOf<InferInput<typeof zod3>>().toEqualTypeOf<{ id: string; count: string }>()

const valibot = v.object({ id: v.string(), count: v.pipe(v.string(), v.transform(Number)) })
expectTypeOf<InferOutput<typeof valibot>>().toEqualTypeOf<{ id: string; count: number }>()
expectTypeOf<InferInput<typeof valibot>>().toEqualTypeOf<{ id: string; count: string }>()

const arktype = type({ id: 'string', count: 'string.numeric.parse' })
expectTypeOf<InferOutput<typeof arktype>>().toEqualTypeOf<{ id: string; count: number }>()
expectTypeOf<InferInput<typeof arktype>>().toEqualTypeOf<{ id: string; count: string }>()

const plain = { type: 'object', properties: { id: { type: 'string' } } }
expectTypeOf<InferOutput<typeof plain>>().toEqualTypeOf<JsonValue>()
expectTypeOf<InferInput<typeof plain>>().toEqualTypeOf<JsonValue>()

expectTypeOf<InferOutput<Schema>>().toEqualTypeOf<unknown>()
expectTypeOf<InferOutput<Schema<{ id: string }>>>().toEqualTypeOf<{ id: string } | JsonValue>()

declare function declares<S extends Schema>(tool: {
  readonly inputSchema: S
  readonly execute: (input: InferOutput<S>) => unknown
}): S
declares({ inputSchema: zod4, execute: (input) => input.count.toFixed() })
declares({ inputSchema: zod3, execute: (input) => input.count.toFixed() })
declares({ inputSchema: valibot, execute: (input) => input.count.toFixed() })
declares({ inputSchema: arktype, execute: (input) => input.count.toFixed() })
declares({ inputSchema: plain, execute: (input) => JSON.stringify(input) })
// @ts-expect-error the input has no such field
declares({ inputSchema: zod4, execute: (input) => input.missing })
// @ts-expect-error a string is not a schema
declares({ inputSchema: 'object', execute: () => undefined })

const wanted: Schema<{ id: string }>[] = [
  z.object({ id: z.string() }),
  v.object({ id: v.string() }),
  { type: 'object' },
]
// @ts-expect-error the output of this schema has a number as id
wanted.push(z.object({ id: z.number() }))

const outcome = await compileSchema(zod4).validate({})
if (outcome.ok) expectTypeOf<typeof outcome.value>().toEqualTypeOf<unknown>()
else expectTypeOf<(typeof outcome.issues)[number]['path']>().toEqualTypeOf<readonly (string | number)[]>()
// @ts-expect-error a failed validation has no value
void outcome.value
