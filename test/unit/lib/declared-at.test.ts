import { expect, test } from 'vitest'
import { declarationOf, declaredAs, declaredHere } from '../../../src/lib/declared-at.ts'
import { problemsOf } from '../../../src/lib/found-problem.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'

function make(problems: readonly string[] = []) {
  const found = problems.map((message) => ({ message }))
  return Object.freeze(declaredHere({ id: 'made', problems }, make, found))
}

test('a declared object has the place of the call that made it, and lists no further member', () => {
  const made = make()
  expect(declarationOf(made)?.stack).toMatch(/^Error: ?\n\s+at .*declared-at\.test\.ts:/)
  expect(declarationOf(made)?.stack).not.toContain('at make ')
  expect(Reflect.ownKeys({ ...made })).toEqual(['id', 'problems'])
})

test('an object that is declared as another one has its place', () => {
  const made = make()
  expect(declarationOf(declaredAs({}, made))).toBe(declarationOf(made))
  const workflow = createWorkflow({ id: 'order' })
  const longer = workflow.andThen({ id: 'charge', execute: () => 1 })
  expect(declarationOf(longer)).toBe(declarationOf(workflow))
})

test('the problems of a declared object have its declaration, those within it their own', () => {
  const inner = make(['a name is required'])
  const problems = [...problemsOf(inner, 'tool x: '), { message: 'an id is required' }]
  const outer = declaredHere({}, make, problems)
  expect(problemsOf(outer, 'agent y: ')).toEqual([
    { message: 'agent y: tool x: a name is required', declaration: declarationOf(inner) },
    { message: 'agent y: an id is required', declaration: declarationOf(outer) },
  ])
})

test('objects of an older copy of the package have problems without a place', () => {
  expect(problemsOf({ problems: ['a name is required'] }, 'agents[0]: ')).toEqual([
    { message: 'agents[0]: a name is required', declaration: undefined },
  ])
})
