import path from 'node:path'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { createEval } from '../../../src/evals/eval.ts'
import { planEvals } from '../../../src/evals/run/plan.ts'
import { contains } from '../../../src/evals/scorers/output-scorers.ts'
import { TempProject } from '../../support/project/temp-project.ts'

const projects: TempProject[] = []
afterEach(() => {
  for (const project of projects.splice(0)) project.remove()
})

function rootWith(files: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(files).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  const project = new TempProject(Object.fromEntries(texts) as Record<string, string>)
  projects.push(project)
  return project.path('.')
}

const SMALL = { target: { workflow: 'order' }, input: 1, expected: 1 }
const POLITE = { target: { agent: 'clerk' }, input: 'hi', expected: 'hello' }

describe('the plan', () => {
  it('gives each case file to the evals of its target, and the rest to none', async () => {
    const root = rootWith({
      'cases/a/small.json': SMALL,
      'cases/a/polite.json': POLITE,
      'cases/.baselines/x.json': {},
    })
    const polite = createEval({
      id: 'polite',
      target: { agent: 'clerk' },
      cases: 'cases/**/*.json',
      scorers: [contains()],
    })
    const planned = await planEvals({ root, evals: [polite] })
    expect(planned.map(({ id, cases }) => [id, cases.map((one) => one.id)])).toEqual([
      ['polite', ['cases/a/polite.json']],
      ['cases', ['cases/a/small.json']],
    ])
  })

  it('has only the selected case files, each with the scorers of its eval', async () => {
    const root = rootWith({ 'cases/a/one.json': POLITE, 'cases/a/two.json': POLITE })
    const polite = createEval({
      id: 'polite',
      target: { agent: 'clerk' },
      cases: 'cases/a/*.json',
      scorers: [contains()],
    })
    const inline = createEval({
      id: 'inline',
      target: { agent: 'clerk' },
      cases: () => [{ input: 'x', expected: 'y' }],
    })
    const planned = await planEvals({ root, evals: [polite, inline], pattern: 'cases/a/two.json' })
    expect(planned.map(({ id, cases }) => [id, cases.map((one) => one.id)])).toEqual([
      ['polite', ['cases/a/two.json']],
    ])
    expect(planned[0]?.cases[0]).toMatchObject({ scorers: [expect.objectContaining({ name: 'contains' })] })
  })

  it('has a case file that a shell of Windows names, and one with a byte order mark', async () => {
    const { sep } = path
    Object.assign(path, { sep: '\\' })
    onTestFinished(() => void Object.assign(path, { sep }))
    const root = rootWith({ 'cases/a/one.json': SMALL, 'cases/a/two.json': `\uFEFF${JSON.stringify(SMALL)}` })
    const [planned] = await planEvals({ root, evals: [], pattern: String.raw`cases\a\two.json` })
    expect(planned?.cases).toMatchObject([{ id: 'cases/a/two.json', case: SMALL }])
  })

  it.each([
    [
      { target: { workflow: 'order' }, input: 1 },
      /^cases\/a\/x\.json has no `expected`, which the scorer "equals" needs/,
    ],
    [{ target: { workflow: 'order' }, inptu: 1 }, /^cases\/a\/x\.json is not a case: .*input/],
    ['{ "target": ', /^cases\/a\/x\.json is not JSON/],
    [{ ...SMALL, scorers: ['equls'] }, /^cases\/a\/x\.json: scorers\[0\] must be one scorer of/],
    [{ ...SMALL, rules: { '/a': { regex: '(' } } }, /^cases\/a\/x\.json is not a case: rules\["\/a"\]/],
    [{ ...SMALL, rules: { '/a': { range: [2, 1] } } }, /^cases\/a\/x\.json is not a case: rules/],
    [{ ...SMALL, target: { workflow: 'a', agent: 'b' } }, /target: Must be \{ "workflow": id \}/],
  ])('names a broken case, beside the others: %j', async (broken, message) => {
    const root = rootWith({ 'cases/a/x.json': broken, 'cases/a/y.json': SMALL })
    const [planned] = await planEvals({ root, evals: [] })
    expect(planned?.cases).toEqual([
      { id: 'cases/a/x.json', broken: expect.stringMatching(message) },
      expect.objectContaining({ id: 'cases/a/y.json', scorers: [expect.any(Function)] }),
    ])
  })

  it('has a broken file once, in the first eval whose glob selects it', async () => {
    const root = rootWith({ 'data/x.json': '{', 'data/y.json': POLITE })
    const one = (id: string) =>
      createEval({ id, target: { agent: 'clerk' }, cases: 'data/*.json', scorers: [contains()] })
    const planned = await planEvals({ root, evals: [one('a'), one('b')] })
    expect(planned.map(({ id, cases }) => [id, cases.map((each) => each.id)])).toEqual([
      ['a', ['data/x.json', 'data/y.json']],
      ['b', ['data/y.json']],
    ])
  })

  it('runs the kept case of a run that failed, without the scorers that need an output to expect', async () => {
    const kept = { target: { workflow: 'order' }, input: 1, from: { executionId: 'e', at: 't' } }
    const [planned] = await planEvals({ root: rootWith({ 'cases/a/x.json': kept }), evals: [] })
    expect(planned?.cases).toEqual([{ id: 'cases/a/x.json', case: kept, scorers: [] }])
  })

  it('is refused when two evals have the same id, or one has no cases', async () => {
    const root = rootWith({})
    const one = createEval({ id: 'one', target: { agent: 'clerk' }, cases: 'nowhere/*.json' })
    await expect(planEvals({ root, evals: [one, { ...one }] })).rejects.toThrow('Two evals have the id "one"')
    await expect(planEvals({ root, evals: [one] })).rejects.toThrow(
      'The eval "one" has no cases for agent clerk',
    )
  })
})
