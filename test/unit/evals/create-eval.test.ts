import { describe, expect, it } from 'vitest'
import { createEval, isEval } from '../../../src/evals/eval.ts'

const VALID = { id: 'orders', target: { workflow: 'order' }, cases: [] } as const

describe('createEval', () => {
  it('fills in the defaults', () => {
    const made = createEval(VALID)
    expect(made).toMatchObject({ threshold: 1, concurrency: 8 })
    expect(made.scorers.map(({ name }) => name)).toEqual(['equals'])
    expect(isEval(made)).toBe(true)
    expect(isEval({ ...VALID })).toBe(false)
  })

  it('gives a scorer without a name that of its position', async () => {
    const half = () => 0.5
    const judge = Object.assign(() => 1, { needsExpected: true })
    Object.defineProperty(judge, 'name', { value: '' })
    const { scorers } = createEval({ ...VALID, scorers: [half, judge] })
    expect(scorers.map(({ name, needsExpected }) => [name, needsExpected])).toEqual([
      ['half', undefined],
      ['scorers[1]', true],
    ])
    expect(await scorers[1]?.({} as never)).toBe(1)
    // the function of the project stays as it is
    expect(judge.name).toBe('')
  })

  it.each([
    [{ threshold: 1.5 }, 'threshold must be a number from 0 to 1'],
    [{ threshold: Number.NaN }, 'threshold must be'],
    [{ concurrency: 0 }, 'concurrency must be a whole number from 1 to 1000'],
    [{ scorers: [] }, 'scorers must be'],
    [{ scorers: [{}] }, 'scorers must be'],
    [{ target: { workflow: 'a', agent: 'b' } }, 'target must be'],
    [{ id: '../x' }, 'id must be'],
    [{ id: 'runs' }, 'id must not be "runs"'],
    [{ cases: 5 }, 'cases must be'],
    [{ treshold: 1 }, 'unknown option "treshold"'],
  ])('refuses %j', (option, message) => {
    expect(() => createEval({ ...VALID, ...option } as never)).toThrow(message)
  })
})
