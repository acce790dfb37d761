import { describe, expect, it } from 'vitest'
import type { ExecutionEvent } from '../../../src/contract/event.ts'
import type { ExecutionDetail } from '../../../src/contract/endpoints/execution.ts'
import { attemptsOf } from '../../../src/console/screens/execution/data/attempts.ts'
import { readExecutionFile } from '../../../src/console/screens/execution/data/execution-file.ts'
import { recordedEvent } from '../../../src/console/execution/recorded-event.ts'
import { stepTree } from '../../../src/console/screens/execution/data/step-tree.ts'
import { withEvents } from '../../../src/console/execution/with-events.ts'

const at = (ms: number) => new Date(ms).toISOString()

const record: ExecutionDetail = {
  id: 'e',
  workflowId: 'order',
  workflowName: 'Order',
  status: 'running',
  input: {},
  context: {},
  metadata: { traceId: 't', spanId: 's' },
  events: [],
  steps: [],
  createdAt: at(0),
  updatedAt: at(0),
  definitionHash: 'h',
}

type Sent = { type: ExecutionEvent['type']; ms: number } & Record<string, unknown>

function sent(...events: Sent[]) {
  return events.map(({ ms, ...event }, index) =>
    recordedEvent({ executionId: 'e', timestamp: at(ms), ...event } as ExecutionEvent, index + 1, 'Order'),
  )
}

const step = { stepIndex: 0, stepType: 'andThen' as const }
const place = (stepId: string) =>
  stepId === 'inner' ? { path: 'outer/inner', name: 'Inner' } : { path: stepId, name: stepId }

describe('a record with the events that came after it', () => {
  it('has the steps as they are now, nested ones at their place', () => {
    const events = sent(
      { type: 'step-start', ms: 1, from: 'outer', ...step, input: 1, attempt: 1 },
      { type: 'step-start', ms: 2, from: 'inner', ...step, input: 2, attempt: 1 },
      { type: 'step-complete', ms: 5, from: 'inner', ...step, output: 3, durationMs: 3, attempt: 1 },
    )
    const { steps, status } = withEvents(record, events, place)
    expect(status).toBe('running')
    expect(steps).toMatchObject([
      { stepId: 'outer', path: 'outer', status: 'running', endTime: null },
      { path: 'outer/inner', name: 'Inner', status: 'completed', output: 3, durationMs: 3, startTime: at(2) },
    ])
  })

  it('takes no event twice, whatever came of it in the record meanwhile', () => {
    const events = sent({ type: 'step-start', ms: 1, from: 'a', ...step, input: 1, attempt: 1 })
    const newer = { ...record, events, steps: [] }
    expect(withEvents(newer, events, place)).toBe(newer)
  })

  it('waits, goes on, tries again and fails as the events say', () => {
    const error = { message: 'no', name: 'Error' }
    const events = sent(
      { type: 'step-start', ms: 1, from: 'outer', ...step, input: 1, attempt: 1 },
      { type: 'step-start', ms: 1, from: 'inner', ...step, input: 1, attempt: 1 },
      { type: 'workflow-suspended', ms: 2, reason: 'ask', stepId: 'inner', stepIndex: 0, resumeSchema: null },
      { type: 'workflow-resumed', ms: 9, stepId: 'inner', resumeData: 1 },
      { type: 'step-error', ms: 11, from: 'inner', ...step, error, attempt: 1, willRetry: true },
      { type: 'step-error', ms: 15, from: 'inner', ...step, error, attempt: 2, willRetry: false },
      { type: 'workflow-error', ms: 16, error },
    )
    const after = (count: number) => withEvents(record, events.slice(0, count), place)
    expect(after(3)).toMatchObject({ status: 'suspended', suspension: { reason: 'ask', stepId: 'inner' } })
    expect(after(3).steps.map(({ status }) => status)).toEqual(['suspended', 'suspended'])
    expect(after(4).suspension).toBeUndefined()
    expect(after(5).steps.map(({ status }) => status)).toEqual(['running', 'running'])
    expect(after(7)).toMatchObject({ status: 'error', error, endedAt: at(16) })
    expect(after(7).steps[1]).toMatchObject({ status: 'error', attempts: 2, durationMs: 14 })
  })

  it('takes a step nested in one that has ended for a loser of its race', () => {
    const events = sent(
      { type: 'step-start', ms: 1, from: 'outer', ...step, input: 1, attempt: 1 },
      { type: 'step-start', ms: 1, from: 'inner', ...step, input: 1, attempt: 1 },
      { type: 'step-complete', ms: 4, from: 'outer', ...step, output: 1, durationMs: 3, attempt: 1 },
    )
    expect(withEvents(record, events, place).steps[1]).toMatchObject({ status: 'cancelled', endTime: at(4) })
  })
})

describe('the attempts of a step', () => {
  it('begin and end with its events, and with what broke into them', () => {
    const error = { message: 'no', name: 'Error' }
    const attempts = attemptsOf(
      sent(
        { type: 'step-start', ms: 1, from: 'a', ...step, input: 1, attempt: 1 },
        { type: 'step-error', ms: 3, from: 'a', ...step, error, attempt: 1, willRetry: true },
        { type: 'step-start', ms: 10, from: 'a', ...step, input: 1, attempt: 2 },
        { type: 'workflow-suspended', ms: 12, reason: '', stepId: 'a', stepIndex: 0, resumeSchema: null },
        { type: 'step-start', ms: 50, from: 'a', ...step, input: 1, attempt: 2 },
      ),
    )
    expect(attempts.get('a')).toEqual([
      { number: 1, start: 1, end: 3, status: 'error', error },
      { number: 2, start: 10, end: 12, status: 'suspended' },
      { number: 2, start: 50, end: undefined, status: 'running' },
    ])
  })
})

describe('the tree of steps', () => {
  it('keeps nested steps below the nearest one that is there', () => {
    const base = { type: 'andThen', status: 'completed', input: null, attempts: 1 } as const
    const times = { startTime: at(0), endTime: at(1), durationMs: 1 }
    const steps = ['b', 'a/x/deep', 'a', 'a/y'].map((path) => ({
      ...base,
      ...times,
      path,
      stepId: path,
      name: path,
    }))
    const order = ['a', 'a/y', 'a/x/deep', 'b']
    const tree = stepTree(steps, ({ path }) => order.indexOf(path))
    expect(tree.map(({ step: { path }, depth }) => [path, depth])).toEqual([
      ['a', 0],
      ['a/y', 1],
      ['a/x/deep', 1],
      ['b', 0],
    ])
  })
})

describe('the file of an execution', () => {
  it('is read as it was exported, and as the API answers', () => {
    expect(readExecutionFile(JSON.stringify(record))).toEqual([record])
    expect(readExecutionFile(JSON.stringify({ success: true, data: record }))).toEqual([record])
    expect(readExecutionFile(JSON.stringify([record, record]))).toHaveLength(2)
  })

  it.each([
    ['no', 'not JSON'],
    ['[]', 'an empty list'],
    ['[1]', 'not a JSON object'],
    ['{"id":"e"}', '"workflowId" is missing'],
    [JSON.stringify({ ...record, steps: 1 }), '"steps" is missing'],
    [JSON.stringify({ ...record, steps: [{}] }), 'no "path"'],
    [JSON.stringify({ ...record, createdAt: 'then' }), 'no instant'],
  ])('is refused when it holds none: %s', (text, said) => {
    expect(() => readExecutionFile(text)).toThrow(said)
  })
})
