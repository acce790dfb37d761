import { expect, it } from 'vitest'
import { stepFinder } from '../../../../src/console/graph/step-tree.ts'
import type { StepDescription } from '../../../../src/contract/endpoints/workflow.ts'

const step = (id: string, type: StepDescription['type'], steps: StepDescription[] = []): StepDescription => ({
  id,
  name: id,
  type,
  purpose: '',
  steps,
})

it('a step of a group is found below the step around the group', () => {
  const find = stepFinder([
    step('when', 'andWhen', [
      step('when#1', 'group', [step('a', 'andThen'), step('all', 'andAll', [step('b', 'andThen')])]),
    ]),
    step('c', 'andThen'),
  ])
  const paths = ['when', 'a', 'all', 'b', 'c', 'when#1'].map((id) => find(id)?.path)
  expect(paths).toEqual(['when', 'when/a', 'when/all', 'when/all/b', 'c', undefined])
})
