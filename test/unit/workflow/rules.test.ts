import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../../src/agent/create-agent.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { problemMessages } from '../../../src/lib/found-problem.ts'
import { placedSteps, workflowProblems } from '../../../src/workflow/rules.ts'
import type { WorkflowDefinition } from '../../../src/workflow/definition.ts'
import { andAgent } from '../../../src/workflow/steps/and-agent.ts'
import { andAll } from '../../../src/workflow/steps/and-all.ts'
import { andRace } from '../../../src/workflow/steps/and-race.ts'
import { andTap } from '../../../src/workflow/steps/and-tap.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'
import { andWhen } from '../../../src/workflow/steps/and-when.ts'
import { andWorkflow } from '../../../src/workflow/steps/and-workflow.ts'

const messagesOf = (workflow: WorkflowDefinition) => problemMessages(workflowProblems(workflow))

const fine = (id = 'fine') => andThen({ id, execute: () => 1 })
const wrong = (options: object) => andThen({ id: 's', execute: () => 1, ...options })
const problemsOf = (step: unknown) => messagesOf(createWorkflow({ id: 'w' }, step as never))
const ID_RULE =
  'letters, digits, ".", "_", ":" and "-", starting with a letter or digit, at most 128 characters'

describe('the rules of a workflow', () => {
  it('accept a valid workflow', () => {
    const agent = createAgent({ id: 'a', name: 'A', instructions: 'Help' })
    const child = createWorkflow({ id: 'child' }, fine())
    const workflow = createWorkflow(
      { id: 'w', inputSchema: z.object({}), resultSchema: { type: 'array' }, retries: 3 },
      andWhen({
        id: 'when',
        condition: () => true,
        step: andAll({ id: 'all', steps: [fine('a'), fine('b')] }),
      }),
      andRace({ id: 'race', steps: [fine('c')] }),
      andTap({ id: 'tap', execute: () => undefined }),
      andAgent({ id: 'agent', agent, prompt: 'Hello' }),
      andWorkflow({ id: 'child', workflow: child, input: () => ({}) }),
      wrong({
        id: 'much',
        timeoutMs: 5,
        retries: { limit: 2, delayMs: 0, factor: 1, maxDelayMs: 1, jitter: 1 },
      }),
    )
    expect(messagesOf(workflow)).toEqual([])
  })

  it.each([[''], ['with space'], ['-dash'], ['ü'], ['x'.repeat(129)], [undefined], [7]])(
    'require an id that is valid in a URL, not %j',
    (id) => {
      const rule = `the id must be ${ID_RULE}`
      expect(messagesOf(createWorkflow({ id } as never, fine()))).toEqual([rule])
      expect(problemsOf(wrong({ id }))).toContain(`step "${String(id)}" (andThen): ${rule}`)
    },
  )

  it('reserve the ids of routes', () => {
    expect(messagesOf(createWorkflow({ id: 'executions' }, fine()))).toEqual([
      'the id "executions" is reserved for a route',
    ])
  })

  it.each(['users', 'owner', 'others', 'operators'] as const)('accept resumableBy: %s', (resumableBy) => {
    expect(messagesOf(createWorkflow({ id: 'w', resumableBy }, fine()))).toEqual([])
  })

  it.each(['users', 'operators', 'code'] as const)('accept startedBy, from and wakeableBy: %s', (callers) => {
    const workflow = createWorkflow({ id: 'w', startedBy: callers })
      .andWaitForEvent({ id: 'event', event: 'ping', from: callers })
      .andSleep({ id: 'sleep', for: '1h', wakeableBy: callers })
      .andSleepUntil({ id: 'until', until: '2030-01-01', wakeableBy: callers })
    expect(messagesOf(workflow)).toEqual([])
  })

  it('name the option and the place of another value', () => {
    const workflow = createWorkflow({ id: 'w', startedBy: 'all' as never, resumableBy: 'code' as never })
      .andWaitForEvent({ id: 'event', event: 'ping', from: 'user' as never })
      .andSleep({ id: 'sleep', for: '1h', wakeableBy: true as never })
      .andSleepUntil({ id: 'until', until: '2030-01-01', wakeableBy: '' as never })
    expect(messagesOf(workflow)).toEqual([
      "startedBy must be 'users', 'operators' or 'code'",
      "resumableBy must be 'users', 'owner', 'others' or 'operators'",
      `step "event" (andWaitForEvent): from must be 'users', 'operators' or 'code'`,
      `step "sleep" (andSleep): wakeableBy must be 'users', 'operators' or 'code'`,
      `step "until" (andSleepUntil): wakeableBy must be 'users', 'operators' or 'code'`,
    ])
  })

  it('require at least one step', () => {
    expect(messagesOf(createWorkflow({ id: 'w' }))).toEqual([
      'it has no steps: andThen() and its like return a new workflow, so export what they return',
    ])
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 'soon', '3 days', '-3d', '0s', null])(
    'require a timeout that is a duration above 0: %s is none',
    (timeout) => {
      const options = { id: 'w', timeout: timeout as never }
      const problem = expect.stringContaining('timeout must be a duration above 0: milliseconds, or a text')
      expect(messagesOf(createWorkflow(options, fine('a')))).toEqual([problem])
      expect(messagesOf(createWorkflow({ ...options, run: async () => 1 }))).toEqual([problem])
    },
  )

  it('accept a timeout in milliseconds or with a unit', () => {
    expect(messagesOf(createWorkflow({ id: 'w', timeout: '3d' }, fine('a')))).toEqual([])
    expect(messagesOf(createWorkflow({ id: 'w', timeout: 5000, run: async () => 1 }))).toEqual([])
  })

  it('require unique step ids, including nested ones', () => {
    const nested = andWhen({ id: 'when', condition: () => true, step: fine('twice') })
    expect(messagesOf(createWorkflow({ id: 'w' }, fine('twice'), nested))).toEqual([
      'step id "twice" is used 2 times (twice, when/twice)',
    ])
  })

  it.each([
    [{ execute: undefined }, 'execute must be a function'],
    [{ execute: 'text' }, 'execute must be a function'],
    [{ timeoutMs: 0 }, 'timeoutMs must be a number above 0'],
    [{ timeoutMs: Number.NaN }, 'timeoutMs must be a number above 0'],
    [{ timeoutMs: '5s' }, 'timeoutMs must be a number above 0'],
    [{ retries: -1 }, 'retries must be a whole number of 0 or more'],
    [{ retries: 1.5 }, 'retries must be a whole number of 0 or more'],
    [{ retries: Number.POSITIVE_INFINITY }, 'retries must be a whole number of 0 or more'],
    [{ retries: { delayMs: 5 } }, 'retries must be a whole number of 0 or more'],
    [{ retries: '3' }, 'retries must be a number or an object'],
    [{ retries: null }, 'retries must be a number or an object'],
    [{ retries: { limit: 1, delayMs: -1 } }, 'retries.delayMs must be a number of 0 or more'],
    [{ retries: { limit: 1, factor: '2' } }, 'retries.factor must be a number of 0 or more'],
    [{ retries: { limit: 1, maxDelayMs: Number.NaN } }, 'retries.maxDelayMs must be a number of 0 or more'],
    [{ retries: { limit: 1, jitter: 1.1 } }, 'retries.jitter must be between 0 and 1'],
    [
      { inputSchema: 'object' },
      'inputSchema must be a Standard Schema (zod, Valibot, ArkType, …) or a JSON Schema object',
    ],
    [
      { resumeSchema: () => true },
      'resumeSchema must be a Standard Schema (zod, Valibot, ArkType, …) or a JSON Schema object',
    ],
  ])('reject %j, naming the step', (options, problem) => {
    expect(problemsOf(wrong(options))).toEqual([`step "s" (andThen): ${problem}`])
  })

  it('name steps of groups by their path, and those with the id of another step', () => {
    const group = andAll({
      id: 'all',
      steps: [(chain) => chain.and(wrong({ timeoutMs: -1 })).andThen({ id: 'all', execute: () => 1 })],
    })
    expect(problemsOf(group)).toEqual([
      'step "all/s" (andThen): timeoutMs must be a number above 0',
      'step id "all" is used 2 times (all, all/all)',
    ])
  })

  it('name nested steps by their path', () => {
    const nested = andAll({
      id: 'all',
      steps: [andWhen({ id: 'when', condition: () => true, step: wrong({ timeoutMs: -1 }) })],
    })
    expect(problemsOf(nested)).toEqual(['step "all/when/s" (andThen): timeoutMs must be a number above 0'])
  })

  it.each([
    [andWhen({ id: 's', condition: true as never, step: fine() }), 'andWhen', 'condition must be a function'],
    [
      andWhen({ id: 's', condition: () => true, step: undefined as never }),
      'andWhen',
      'every nested step must be made by andThen() or another step function',
    ],
    [
      andWhen({ id: 's', condition: () => true, step: () => 5 as never }),
      'andWhen',
      'a group must return its chain: (chain) => chain.andThen({ … })',
    ],
    [andAll({ id: 's', steps: [] }), 'andAll', 'steps must be an array with at least one step'],
    [
      andAll({ id: 's', steps: [{ id: 'x' }] as never }),
      'andAll',
      'every nested step must be made by andThen() or another step function',
    ],
    [
      andRace({ id: 's', steps: 'none' as never }),
      'andRace',
      'steps must be an array with at least one step',
    ],
    [andTap({ id: 's', execute: 5 as never }), 'andTap', 'execute must be a function'],
    [
      andAgent({ id: 's', agent: {} as never, prompt: 'x' }),
      'andAgent',
      'agent must be made by createAgent()',
    ],
    [
      andAgent({
        id: 's',
        agent: createAgent({ id: 'a', name: 'A', instructions: 'x' }),
        prompt: undefined as never,
      }),
      'andAgent',
      'prompt must be a function',
    ],
    [
      andWorkflow({ id: 's', workflow: undefined as never }),
      'andWorkflow',
      'workflow must be made by createWorkflow()',
    ],
    [
      andWorkflow({ id: 's', workflow: createWorkflow({ id: 'c' }, fine()), input: {} as never }),
      'andWorkflow',
      'input must be a function',
    ],
  ])('check the options of each kind: %#', (step, type, problem) => {
    expect(problemsOf(step)).toEqual([`step "s" (${type}): ${problem}`])
  })

  it('require schemas with a JSON Schema', () => {
    const nonsense = createWorkflow({ id: 'w', inputSchema: { type: 'nonsense' } }, fine())
    expect(messagesOf(nonsense)).toEqual([expect.stringMatching(/^inputSchema: /)])
    expect(problemsOf(wrong({ outputSchema: { type: 'nonsense' } }))[0]).toMatch(
      /^step "s" \(andThen\): outputSchema: /,
    )
  })

  it('distinguish retries of the workflow and of a step', () => {
    expect(messagesOf(createWorkflow({ id: 'w', retries: -1 }, fine()))).toEqual([
      'retries must be a whole number of 0 or more',
    ])
  })

  it('report all problems together', () => {
    const problems = messagesOf(
      createWorkflow({ id: 'executions' }, wrong({ timeoutMs: 0, retries: -1, execute: 1 })),
    )
    expect(problems).toHaveLength(4)
  })
})

describe('placed steps', () => {
  it('are all steps with their path and top-level index, parents first', () => {
    const workflow = createWorkflow(
      { id: 'w' },
      fine('a'),
      andAll({
        id: 'all',
        steps: [andWhen({ id: 'when', condition: () => true, step: fine('b') }), fine('c')],
      }),
    )
    expect(placedSteps(workflow).map(({ path, index }) => `${index} ${path}`)).toEqual([
      '0 a',
      '1 all',
      '1 all/when',
      '1 all/when/b',
      '1 all/c',
    ])
  })
})
