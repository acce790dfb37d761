import { describe, expect, it } from 'vitest'
import { layoutSteps } from '../../../../src/console/graph/graph-layout.ts'
import type { StepDescription } from '../../../../src/contract/endpoints/workflow.ts'

const step = (id: string, steps?: StepDescription[]): StepDescription => ({
  id,
  name: id,
  type: steps ? 'andAll' : 'andThen',
  purpose: '',
  ...(steps && { steps }),
})
const many = (count: number, prefix = 's') => Array.from({ length: count }, (_, n) => step(`${prefix}${n}`))

function placed(steps: StepDescription[]) {
  const { boxes } = layoutSteps(steps)
  return (path: string) => {
    const box = boxes.get(path)
    if (!box) throw new Error(`${path} has no box`)
    return box
  }
}

describe('layoutSteps', () => {
  it('puts sequential steps below each other, centred', () => {
    const at = placed([step('a'), step('b', many(2)), step('c')])
    const middles = ['a', 'b', 'c'].map((id) => at(id).x + at(id).width / 2)
    expect(new Set(middles).size).toBe(1)
    expect(at('b').y).toBeGreaterThan(at('a').y + at('a').height)
    expect(at('c').y).toBeGreaterThan(at('b').y + at('b').height)
  })

  it('puts the steps of a group below each other, inside the step around it', () => {
    const group: StepDescription = { ...step('all#1', many(2, 'g')), type: 'group' }
    const at = placed([step('all', [group, step('beside')])])
    expect(at('all/all#1/g1').y).toBeGreaterThan(at('all/all#1/g0').y + at('all/all#1/g0').height)
    expect(at('all/all#1/g1').x).toBe(at('all/all#1/g0').x)
    expect(at('all/all#1').height).toBeGreaterThan(at('all/all#1/g1').y + at('all/all#1/g1').height)
    expect(at('all/beside').x).toBeGreaterThan(at('all/all#1').x + at('all/all#1').width)
  })

  it('puts parallel steps side by side in rows of three, in order', () => {
    const at = placed([step('all', many(7))])
    const rows = ['s0', 's1', 's2', 's3', 's4', 's5', 's6'].map((id) => at(`all/${id}`).y)
    expect(new Set(rows).size).toBe(3)
    expect(rows).toEqual(rows.toSorted((one, other) => one - other))
    expect(at('all/s0').x).toBeLessThan(at('all/s1').x)
    expect(at('all/s3').x).toBe(at('all/s0').x)
  })

  it('keeps nested steps inside their outer step, without overlap', () => {
    const steps = [step('all', [step('a'), step('in', [...many(4), step('deep', many(2, 'd'))]), step('z')])]
    const at = placed(steps)
    const check = (inner: readonly StepDescription[], path: string) => {
      const boxes = inner.map(({ id }) => at(`${path}/${id}`))
      const outer = at(path)
      for (const [index, box] of boxes.entries()) {
        expect(box.x + box.width).toBeLessThan(outer.width)
        expect(box.y + box.height).toBeLessThan(outer.height)
        for (const other of boxes.slice(index + 1))
          expect(
            other.x >= box.x + box.width ||
              other.y >= box.y + box.height ||
              other.x + other.width <= box.x ||
              other.y + other.height <= box.y,
          ).toBe(true)
      }
      for (const { id, steps: nested = [] } of inner) if (nested.length > 0) check(nested, `${path}/${id}`)
    }
    check(steps[0]?.steps ?? [], 'all')
  })

  it('places ten thousand steps', () => {
    expect(layoutSteps(many(10_000)).boxes.size).toBe(10_000)
    expect(layoutSteps([]).boxes.size).toBe(0)
  })

  it('puts calls of the same rank side by side in a frame, and draws arrows between steps and frames', () => {
    const ranks = new Map(Object.entries({ a: 0, b: 1, c: 1, d: 2, 'd/e': 0, 'd/f': 1 }))
    const steps = [step('a'), step('b'), step('c'), { ...step('d', [step('e'), step('f')]) }]
    const { boxes, frames, arrows, size } = layoutSteps(steps, ranks)
    const [frame] = frames
    expect(frames).toMatchObject([{ count: 2, parentPath: undefined }])
    expect(arrows).toEqual([
      ['d/e', 'd/f'],
      ['a', frame?.id],
      [frame?.id, 'd'],
    ])
    const at = (path: string) => boxes.get(path) ?? { x: 0, y: 0, width: 0, height: 0 }
    expect(at('b').y).toBe(at('c').y)
    expect(at('c').x).toBeGreaterThan(at('b').x + at('b').width)
    const { x = 0, y = 0, width = 0, height = 0 } = frame?.box ?? {}
    expect(at('b').x).toBeGreaterThan(x)
    expect(at('c').x + at('c').width).toBeLessThan(x + width)
    expect(at('b').y + at('b').height).toBeLessThan(y + height)
    expect(y).toBeGreaterThan(at('a').y + at('a').height)
    expect(at('d').y + at('d').height).toBeLessThanOrEqual(size.height)
    expect(at('d/f').y).toBeGreaterThan(at('d/e').y + at('d/e').height)
  })

  it('puts two hundred calls that ran at the same time into a square', () => {
    const steps = many(200)
    const { size } = layoutSteps(steps, new Map(steps.map(({ id }) => [id, 0])))
    expect(size.width / size.height).toBeGreaterThan(0.8)
    expect(size.width / size.height).toBeLessThan(1.25)
  })
})
