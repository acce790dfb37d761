import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { answerShape } from '../../../../src/console/answer-shape.ts'
import { fillMissing } from '../../../../src/console/api/fill-missing.ts'

const Node = z.object({ id: z.string(), cost: z.number() }).meta({ id: 'FillMissingNode' })
const schema = z.object({
  nodes: z.array(Node),
  total: z.object({ calls: z.int(), at: z.string().nullable() }),
  last: z.object({ tags: z.array(z.string()) }).nullable(),
  next: z.object({ tags: z.array(z.string()) }).optional(),
  output: z.unknown(),
})
const fill = (value: unknown) => fillMissing(value, answerShape(schema))

describe('an answer of an older server', () => {
  it('gets empty lists, empty texts, 0 and null for what it lacks', () => {
    expect(fill({})).toEqual({ nodes: [], total: { calls: 0, at: null }, last: null })
    expect(fill({ nodes: [{ id: 'a' }], last: {}, next: {} })).toEqual({
      nodes: [{ id: 'a', cost: 0 }],
      total: { calls: 0, at: null },
      last: { tags: [] },
      next: { tags: [] },
    })
  })

  it('is left as it is when it is complete', () => {
    const whole = { nodes: [], total: { calls: 2, at: 'now' }, last: null, output: { nodes: 1 } }
    expect(fill(structuredClone(whole))).toEqual(whole)
  })
})
