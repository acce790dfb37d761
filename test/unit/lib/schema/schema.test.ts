import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod3'
import { AppError } from '../../../../src/lib/errors.ts'
import { compileSchema, formatIssues, isSchema, type Schema } from '../../../../src/lib/schema/schema.ts'

const orders: Record<string, Schema> = {
  'zod 4': z.strictObject({ orderId: z.string(), items: z.array(z.object({ qty: z.number() })) }),
  'zod 3': z3.object({ orderId: z3.string(), items: z3.array(z3.object({ qty: z3.number() })) }).strict(),
  Valibot: v.strictObject({ orderId: v.string(), items: v.array(v.object({ qty: v.number() })) }),
  ArkType: type({ '+': 'reject', orderId: 'string', items: type({ qty: 'number' }).array() }),
  'JSON Schema': {
    type: 'object',
    properties: {
      orderId: { type: 'string' },
      items: { type: 'array', items: { properties: { qty: { type: 'number' } }, required: ['qty'] } },
    },
    required: ['orderId', 'items'],
    additionalProperties: false,
  },
}
const libraries = Object.entries(orders)

async function messagesOf(schema: Schema, value: unknown): Promise<string> {
  const outcome = await compileSchema(schema).validate(value)
  return outcome.ok ? 'ok' : formatIssues(outcome.issues, 'input')
}

// any: callers without types may pass any value
function errorOf(schema: any): AppError {
  try {
    compileSchema(schema)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('the schema was accepted')
}

describe.each(libraries)('a schema of %s', (_library, schema) => {
  it('is a schema, compiled once', () => {
    expect(isSchema(schema)).toBe(true)
    expect(compileSchema(schema)).toBe(compileSchema(schema))
  })

  it('returns a valid value', async () => {
    const order = { orderId: 'a', items: [{ qty: 1 }] }
    expect(await compileSchema(schema).validate(order)).toEqual({ ok: true, value: order })
  })

  it('reports a missing value as Required', async () => {
    expect(await messagesOf(schema, { items: [{}] })).toMatch(/input\.orderId: Required(?:;|$)/)
    expect(await messagesOf(schema, { items: [{}] })).toMatch(/input\.items\[0\]\.qty: Required(?:;|$)/)
    expect(await messagesOf(schema, { orderId: undefined, items: [] })).toBe('input.orderId: Required')
    expect(await messagesOf(schema, undefined)).toBe('input: Required')
  })

  it('does not report an invalid value as Required', async () => {
    const messages = await messagesOf(schema, { orderId: null, items: [{ qty: '1' }] })
    expect(messages).toMatch(/input\.orderId: .*null/i)
    expect(messages).toMatch(/input\.items\[0\]\.qty: .*number/)
    expect(messages).not.toContain('Required')
  })

  it('names an unknown key', async () => {
    expect(await messagesOf(schema, { orderId: 'a', items: [], colour: 1 })).toContain('colour')
  })

  it('has a JSON Schema, or a description with the reason', () => {
    const { input, output } = compileSchema(schema)
    for (const shape of [input, output]) {
      expect(shape).not.toHaveProperty('$schema')
      expect(Object.keys(shape)).not.toEqual([])
    }
    expect(compileSchema(schema).input).toBe(input)
  })
})

describe('a schema', () => {
  it('applies defaults and transforms without changing the value', async () => {
    const original = { count: '2' }
    const schema = z.object({ count: z.string().transform(Number), size: z.number().default(7) })
    expect(await compileSchema(schema).validate(original)).toEqual({ ok: true, value: { count: 2, size: 7 } })
    expect(original).toEqual({ count: '2' })
  })

  it('may validate asynchronously', async () => {
    const calls: unknown[] = []
    const counted = z.string().refine(async (text) => calls.push(text))
    expect(await messagesOf(counted, 'free')).toBe('ok')
    expect(calls).toEqual(['free'])
    for (const schema of [
      z.string().refine(async (text) => text === 'free', 'Taken'),
      z3.string().refine(async (text) => text === 'free', 'Taken'),
      v.pipeAsync(
        v.string(),
        v.checkAsync(async (text) => text === 'free', 'Taken'),
      ),
    ]) {
      expect(await messagesOf(schema, 'free')).toBe('ok')
      expect(await messagesOf(schema, 'other')).toBe('input: Taken')
    }
  })

  it('fails with internal and the cause when its own code throws or rejects', async () => {
    const cause = new Error('database is gone')
    const fail = () => {
      throw cause
    }
    const synchronous = v.pipe(v.string(), v.check(fail))
    expect(() => compileSchema(synchronous).validate('x')).toThrow(
      expect.objectContaining({ code: 'internal', cause }),
    )
    const asynchronous = z.string().refine(() => Promise.reject(cause))
    await expect(compileSchema(asynchronous).validate('x')).rejects.toMatchObject({ code: 'internal', cause })
    await expect(compileSchema(z.string().transform(fail)).validate('x')).rejects.toMatchObject({ cause })
  })

  it('may come from any library that implements Standard Schema', async () => {
    const foreign: Schema = {
      '~standard': {
        version: 1,
        vendor: 'acme',
        validate: (value: unknown) =>
          value === 1 ? { value } : { issues: [{ message: 'Not one', path: [{ key: 'a' }, Symbol('s')] }] },
        jsonSchema: {
          input: () => ({ $schema: 'x', const: 1 }),
          output: () => ({ definitions: { a: true }, const: 1 }),
        },
      },
    }
    expect(compileSchema(foreign)).toMatchObject({
      input: { const: 1 },
      output: { $defs: { a: true }, const: 1 },
    })
    expect(compileSchema(foreign).input).not.toHaveProperty('$schema')
    expect(await messagesOf(foreign, 'text')).toBe('input.a["Symbol(s)"]: Not one')
  })

  it('does not report an invalid value in a Map as missing', async () => {
    const schema = z.map(z.string(), z.number())
    expect(await messagesOf(schema, new Map([['a', 'x']]))).toMatch(/^input\.a: .*number/)
  })
})

describe('a value that is not a schema', () => {
  it.each([
    undefined,
    null,
    'object',
    1,
    [],
    () => {},
    new Date(),
    { orderId: 'string' },
    { type: () => 'x' },
  ])('is a configuration error: %o', (value) => {
    expect(isSchema(value)).toBe(false)
    expect(errorOf(value)).toMatchObject({
      code: 'invalid_config',
      message: expect.stringContaining('Not a schema'),
    })
  })

  it('gets a hint for common mistakes', () => {
    expect(errorOf({ orderId: z.string() }).hint).toContain('z.object(')
    expect(errorOf({ _def: { typeName: 'ZodString' }, parse: () => 1 }).hint).toContain('zod 3.25')
  })
})

describe('a pattern with catastrophic backtracking', () => {
  const hostile = `${'a'.repeat(60)}!`
  it.each<[string, Schema]>([
    ['JSON Schema', { type: 'string', pattern: '^(a+)+$' }],
    ['zod 4', z.string().regex(/^(a+)+$/)],
    ['Valibot', v.pipe(v.string(), v.regex(/^(a+)+$/))],
  ])('is terminated after a second in %s', async (_library, schema) => {
    expect(await messagesOf(schema, hostile)).toBe('input: Validation took longer than 1000 ms')
    expect(await messagesOf(schema, 'aaa')).toBe('ok')
  })
})
