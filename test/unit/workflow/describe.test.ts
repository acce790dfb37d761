import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../../src/agent/create-agent.ts'
import { WorkflowDetail, WorkflowSummary } from '../../../src/contract/endpoints/workflow.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { describeWorkflow, summarise } from '../../../src/workflow/describe.ts'
import { defineEvent } from '../../../src/step/define-event.ts'
import { andWorkflow } from '../../../src/workflow/steps/and-workflow.ts'
import { andThen } from '../../../src/workflow/steps/and-then.ts'

const step = (id: string) => andThen({ id, execute: () => 1 })

const IDLE = { running: false, served: true }

describe('a workflow in a list', () => {
  it('has its name, purpose, number of top-level steps and status', () => {
    const workflow = createWorkflow({ id: 'w', name: 'Work', purpose: 'To work' }, step('a')).andAll({
      id: 'all',
      steps: [step('b'), step('c')],
    })
    const shown = { id: 'w', name: 'Work', purpose: 'To work', stepsCount: 2 }
    expect(summarise(workflow, IDLE)).toEqual({ ...shown, status: 'idle', served: true })
    expect(summarise(workflow, { running: true, served: false })).toEqual({
      ...shown,
      status: 'running',
      served: false,
    })
    expect(
      WorkflowSummary.safeParse(summarise(workflow, { running: true, served: false })).error,
    ).toBeUndefined()
  })

  it('has its id as its default name', () => {
    expect(summarise(createWorkflow({ id: 'w' }, step('a')), IDLE)).toMatchObject({ name: 'w', purpose: '' })
  })

  it('names the agents and workflows of its steps, and those that a function uses', () => {
    const writer = createAgent({ id: 'writer', name: 'Writer', instructions: 'Write' })
    const child = createWorkflow({ id: 'child' }, step('a'))
    const chain = createWorkflow({ id: 'chain' })
      .andAgent({ id: 'note', agent: writer, prompt: '' })
      .andAll({ id: 'all', steps: [step('b'), andWorkflow({ id: 'c', workflow: child })] })
    const called = { agents: ['writer'], workflows: ['child'] }
    expect(summarise(chain, IDLE)).toMatchObject(called)
    const uses = [child, writer]
    expect(summarise(createWorkflow({ id: 'f', uses, run: () => 1 }), IDLE)).toMatchObject(called)
  })
})

describe('a workflow in detail', () => {
  it('has groups as steps with the steps of the group, and marks the step that catches', () => {
    const workflow = createWorkflow({ id: 'w' }).andTry({
      id: 'try',
      step: (chain) => chain.andThen({ id: 'a', execute: () => 1 }).andThen({ id: 'b', execute: () => 2 }),
      catch: step('c'),
    })
    const detail = describeWorkflow(workflow, IDLE)
    expect(WorkflowDetail.safeParse(detail).error).toBeUndefined()
    expect(detail.steps).toMatchObject([
      {
        id: 'try',
        type: 'andTry',
        steps: [
          { id: 'try#1', name: 'group', type: 'group', steps: [{ id: 'a' }, { id: 'b' }] },
          { id: 'c', type: 'andThen', catches: true },
        ],
      },
    ])
  })

  it('has the events that it reacts to, its hooks, and which steps have a compensation', () => {
    const done = () => undefined
    const workflow = createWorkflow(
      {
        id: 'w',
        on: [
          { event: 'order.created', key: 'eu' },
          {
            event: defineEvent({ name: 'order.paid', schema: z.record(z.string(), z.unknown()) }),
            key: () => 'k',
            filter: () => true,
          },
        ],
        cancelOn: [{ event: 'order.cancelled' }, { event: 'shop.closed', key: () => 'k' }],
        debounce: { per: '5m', key: () => 'k' },
        onEnd: done,
        onError: done,
      },
      andThen({ id: 'charge', execute: () => 1, compensate: done }),
      step('b'),
    )
    const detail = describeWorkflow(workflow, IDLE)
    expect(WorkflowDetail.safeParse(detail).error).toBeUndefined()
    expect(detail).toMatchObject({
      on: [
        { event: 'order.created', key: 'eu' },
        { event: 'order.paid', computesKey: true, filters: true },
      ],
      cancelOn: [{ event: 'order.cancelled' }, { event: 'shop.closed', computesKey: true }],
      debounce: { perMs: 300_000, computesKey: true },
      hooks: ['onError', 'onEnd'],
    })
    expect(detail.steps.map(({ hasCompensation }) => hasCompensation)).toEqual([true, undefined])
    const plain = describeWorkflow(createWorkflow({ id: 'w' }, step('a')), IDLE)
    for (const name of ['on', 'cancelOn', 'debounce', 'hooks']) expect(plain).not.toHaveProperty(name)
  })

  it('has its schemas as JSON Schema: the input of inputs, the output of results', () => {
    const shape = z.object({ n: z.string().transform(Number).pipe(z.number()), size: z.number().default(1) })
    const workflow = createWorkflow(
      {
        id: 'w',
        inputSchema: shape,
        resultSchema: shape,
        suspendSchema: z.string(),
        resumeSchema: { type: 'null' },
      },
      andThen({ id: 'a', execute: () => ({ n: '1' }) }),
    )
    expect(describeWorkflow(workflow, IDLE)).toMatchObject({
      inputSchema: { properties: { n: { type: 'string' } }, required: ['n'] },
      resultSchema: { properties: { n: { type: 'number' } }, required: ['n', 'size'] },
      suspendSchema: { type: 'string' },
      resumeSchema: { type: 'null' },
    })
  })

  it('accepts any object without an input schema, and has null for the others', () => {
    expect(describeWorkflow(createWorkflow({ id: 'w' }, step('a')), IDLE)).toEqual({
      id: 'w',
      name: 'w',
      served: true,
      purpose: '',
      stepsCount: 1,
      status: 'idle',
      steps: [{ id: 'a', name: 'a', type: 'andThen', purpose: '' }],
      inputSchema: { type: 'object' },
      resultSchema: null,
      suspendSchema: null,
      resumeSchema: null,
    })
  })

  it('has every step with its properties and nested steps', () => {
    const agent = createAgent({ id: 'helper', name: 'Helper', instructions: 'Help' })
    const workflow = createWorkflow({ id: 'w' })
      .andThen({
        id: 'a',
        name: 'First',
        purpose: 'To begin',
        inputSchema: z.object({ n: z.number() }),
        outputSchema: z.string(),
        suspendSchema: z.number(),
        resumeSchema: z.boolean(),
        execute: () => 'x',
      })
      .andWhen({ id: 'when', condition: () => true, step: step('b') })
      .andRace({ id: 'race', steps: [step('c'), step('d')] })
      .andTap({ id: 'tap', execute: () => undefined })
      .andAgent({ id: 'ask', agent, prompt: 'Hello' })
      .andWorkflow({ id: 'child', workflow: createWorkflow({ id: 'other' }, step('z')), input: () => ({}) })
    const detail = describeWorkflow(workflow, IDLE)
    const [first, when, race, tap, ask, child] = detail.steps
    expect(first).toMatchObject({
      id: 'a',
      name: 'First',
      type: 'andThen',
      purpose: 'To begin',
      inputSchema: { properties: { n: { type: 'number' } } },
      outputSchema: { type: 'string' },
      suspendSchema: { type: 'number' },
      resumeSchema: { type: 'boolean' },
    })
    expect(when).toMatchObject({ type: 'andWhen', steps: [{ id: 'b', type: 'andThen' }] })
    expect(race?.steps?.map(({ id }) => id)).toEqual(['c', 'd'])
    expect(tap).toEqual({ id: 'tap', name: 'tap', type: 'andTap', purpose: '' })
    expect(ask).toMatchObject({ type: 'andAgent', agentId: 'helper' })
    expect(child).toMatchObject({ type: 'andWorkflow', workflowId: 'other' })
    expect(child).not.toHaveProperty('steps')
    expect(WorkflowDetail.safeParse(detail).error).toBeUndefined()
  })
})

describe('retries and timeouts', () => {
  it('are shown for steps that run code: the step’s own, or the workflow’s', () => {
    const run = { execute: () => 1 }
    const workflow = createWorkflow({ id: 'w', retries: 2 })
      .andThen({ id: 'own', retries: { limit: 5, delayMs: 10 }, timeoutMs: 500, ...run })
      .andThen({ id: 'none', retries: 0, ...run })
      .andAll({ id: 'all', steps: [andThen({ id: 'inner', ...run })] })
    const detail = describeWorkflow(workflow, IDLE)
    const [own, none, all] = detail.steps
    expect(own).toMatchObject({ retries: { limit: 5, delayMs: 10, factor: 2 }, timeoutMs: 500 })
    expect(none).not.toHaveProperty('retries')
    expect(all).not.toHaveProperty('retries')
    expect(all?.steps?.[0]).toMatchObject({ id: 'inner', retries: { limit: 2, delayMs: 1000 } })
    expect(WorkflowDetail.safeParse(detail).error).toBeUndefined()
  })
})
