import { createAgent, createWorkflow, andThen } from 'agentserver'
import { describe, expect, it } from 'vitest'
import { budgetsProblems, windowHours } from '../../../../src/agent/budgets/budget.ts'
import { resolveConfig } from '../../../../src/config/config.ts'

const USER = { per: 'user', usd: 1, every: '24h' }
const WINDOW = 'every must be whole hours, at most 366 days: milliseconds, or a text such as'

describe('the problems of budgets', () => {
  it.each([
    [undefined, []],
    [[USER, { per: 'run', tokens: 5 }], []],
    [[{ ...USER, every: 3_600_000, onLimit: 'fail' }], []],
    [[{ ...USER, onLimit: { model: 'openai/gpt-5-mini' } }], []],
    [USER, ['budgets must be an array']],
    [[7], ['budgets[0] must be an object']],
    [[USER, { per: 'team', usd: 1 }], ["budgets[1].per must be one of 'run', 'user', 'agent', 'project'"]],
    [[{ per: 'run' }], ['budgets[0] must have usd or tokens']],
    [[{ ...USER, usd: 0 }], ['budgets[0].usd must be a number above 0']],
    [[{ ...USER, usd: -1 }], ['budgets[0].usd must be a number above 0']],
    [[{ ...USER, usd: Number.NaN }], ['budgets[0].usd must be a number above 0']],
    [[{ ...USER, tokens: 1.5 }], ['budgets[0].tokens must be a whole number above 0']],
    [[{ per: 'user', usd: 1 }], ["budgets[0].every is required with per: 'user', such as '24h'"]],
    [[{ ...USER, every: '90m' }], [expect.stringContaining(`budgets[0].${WINDOW}`)]],
    [[{ ...USER, every: '0h' }], [expect.stringContaining(WINDOW)]],
    [[{ ...USER, every: '367d' }], [expect.stringContaining(WINDOW)]],
    [[{ ...USER, every: 'daily' }], [expect.stringContaining(WINDOW)]],
    [[{ per: 'run', usd: 1, every: '1h' }], [expect.stringContaining('budgets[0].every must be left out')]],
    [[{ ...USER, onLimit: 'stop' }], ["budgets[0].onLimit must be 'fail', 'ask' or { model }"]],
    [
      [{ ...USER, onLimit: { model: 'nobody/x' } }],
      [expect.stringMatching(/^budgets\[0\]\.onLimit\.model "nobody\/x" names an unknown provider/)],
    ],
    [[{ ...USER, onLimit: { model: ['openai/x'] } }], ['budgets[0].onLimit.model must be one model']],
    [
      [{ ...USER, window: 1 }],
      ['budgets[0]: unknown option "window"; the options are per, usd, tokens, every, onLimit'],
    ],
  ])('of %j', (budgets, problems) => {
    expect(budgetsProblems(budgets)).toEqual(problems)
  })

  it('are errors of the load that name their place', () => {
    const budgets = [{ ...USER, usd: 0 }] as never
    const agents = [createAgent({ id: 'clerk', name: 'Clerk', instructions: 'x', budgets })]
    const workflow = createWorkflow({ id: 'order', budgets }, andThen({ id: 'a', execute: () => 1 }))
    const load = (config: object) => () => resolveConfig(config, 'agentserver.config.ts')
    expect(load({ agents })).toThrow('agents[0] "clerk": budgets[0].usd must be a number above 0')
    expect(load({ workflows: [workflow] })).toThrow(
      'workflow "order": budgets[0].usd must be a number above 0',
    )
    expect(load({ budgets })).toThrow('budgets[0].usd must be a number above 0')
  })
})

describe('the window of a budget', () => {
  it.each([
    ['24h', 24],
    ['30d', 720],
    [7_200_000, 2],
    [undefined, null],
  ] as const)('of %j is %j hours', (every, hours) => {
    expect(windowHours(every === undefined ? {} : { every })).toBe(hours)
  })
})
