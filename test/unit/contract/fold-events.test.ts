import { describe, expect, it } from 'vitest'
import type { ExecutionEvent } from '../../../src/contract/event.ts'
import type { ExecutionDetail } from '../../../src/contract/endpoints/execution.ts'
import { Attempts, foldEvents, toRecordedEvent } from '../../../src/contract/fold-events.ts'

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
    toRecordedEvent({ executionId: 'e', timestamp: at(ms), ...event }, index + 1, 'Order'),
  )
}

const step = { stepIndex: 0, stepType: 'andThen' as const }
const findStep = (stepId: string) =>
  stepId === 'inner' ? { path: 'outer/inner', name: 'Inner' } : { path: stepId, name: stepId }

describe('foldEvents', () => {
  it('updates the steps of the record, nested ones under their path', () => {
    const events = sent(
      { type: 'step-start', ms: 1, from: 'outer', ...step, input: 1, attempt: 1 },
      { type: 'step-start', ms: 2, from: 'inner', ...step, input: 2, attempt: 1 },
      { type: 'step-complete', ms: 5, from: 'inner', ...step, output: 3, durationMs: 3, attempt: 1 },
    )
    const { steps, status } = foldEvents(record, events, findStep)
    expect(status).toBe('running')
    expect(steps).toMatchObject([
      { stepId: 'outer', path: 'outer', status: 'running', endTime: null },
      { path: 'outer/inner', name: 'Inner', status: 'completed', output: 3, durationMs: 3, startTime: at(2) },
    ])
  })

  it('shows that an execution is compensated, the steps that are undone, and how that ended', () => {
    const undo = { from: 'a:compensate', path: 'outer/a:compensate', ...step, attempt: 1 }
    const events = sent(
      { type: 'step-start', ms: 1, from: 'open', ...step, input: 1, attempt: 1 },
      { type: 'workflow-compensating', ms: 2, reason: 'cancelled' },
      { type: 'step-start', ms: 3, ...undo, input: 1 },
      { type: 'step-complete', ms: 4, ...undo, output: null, durationMs: 1 },
      { type: 'workflow-cancelled', ms: 5, reason: 'enough', compensation: 'completed' },
    )
    const folded = foldEvents(record, events.slice(0, 3), findStep)
    expect(folded).toMatchObject({ status: 'running', compensating: { reason: 'cancelled' } })
    expect(folded.steps).toMatchObject([
      { path: 'open', status: 'cancelled' },
      { path: 'outer/a:compensate', compensates: 'outer/a', status: 'running' },
    ])
    const ended = foldEvents(folded, events.slice(3), findStep)
    expect(ended).toMatchObject({ status: 'cancelled', compensation: 'completed' })
    expect(ended).not.toHaveProperty('compensating')
  })

  it('counts the items of a step that have ended, and finds nested steps by the path of their event', () => {
    const each = { stepIndex: 0, stepType: 'andForEach' as const, attempt: 1 }
    const item = (index: number) => ({ from: `each[${index}]`, path: `each[${index}]`, ...step, attempt: 1 })
    const inner = { from: 'deep[1]', path: 'each[1]/deep', ...step, attempt: 1, input: 1 }
    const events = sent(
      { type: 'step-start', ms: 1, from: 'each', ...each, input: [1, 2] },
      { type: 'step-start', ms: 2, ...item(0), input: 1 },
      { type: 'step-complete', ms: 3, ...item(0), output: 1, durationMs: 1 },
      { type: 'step-start', ms: 4, ...item(1), input: 2 },
      { type: 'step-start', ms: 5, ...inner },
    )
    const { steps } = foldEvents(record, events, findStep)
    expect(steps[0]).toMatchObject({ path: 'each', progress: { done: 1, total: 2 } })
    expect(steps.map(({ stepId, path }) => `${stepId} ${path}`)).toEqual([
      'each each',
      'each[0] each[0]',
      'each[1] each[1]',
      'deep[1] each[1]/deep',
    ])
  })

  it('keeps calls of several steps apart that have the same id, and their attempts', () => {
    const call = (outer: string) => ({ from: 'fetch', path: `${outer}/fetch`, ...step, attempt: 1 })
    const events = sent(
      { type: 'step-start', ms: 1, from: 'a', ...step, input: 1, attempt: 1 },
      { type: 'step-start', ms: 2, from: 'b', ...step, input: 1, attempt: 1 },
      { type: 'step-start', ms: 3, ...call('a'), input: 1 },
      { type: 'step-start', ms: 4, ...call('b'), input: 1 },
      { type: 'step-complete', ms: 5, ...call('b'), output: 1, durationMs: 1 },
      { type: 'step-start', ms: 6, from: 'fetch', ...step, input: 1, attempt: 1 },
    )
    const before = foldEvents(record, events.slice(0, 3), findStep)
    const { steps } = foldEvents(before, events, findStep)
    expect(steps.map(({ path, status }) => `${path} ${status}`)).toEqual([
      'a running',
      'b running',
      'a/fetch running',
      'b/fetch completed',
      'fetch running',
    ])
    const attempts = new Attempts(events)
    expect(attempts.of({ path: 'a/fetch', stepId: 'fetch' })).toMatchObject([{ start: 3, status: 'running' }])
    expect(attempts.of({ path: 'b/fetch', stepId: 'fetch' })).toMatchObject([{ start: 4, end: 5 }])
  })

  it('ignores events that the record already has', () => {
    const events = sent({ type: 'step-start', ms: 1, from: 'a', ...step, input: 1, attempt: 1 })
    const newer = { ...record, events, steps: [] }
    expect(foldEvents(newer, events, findStep)).toBe(newer)
  })

  it('suspends, resumes, retries and fails as the events say', () => {
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
    const after = (count: number) => foldEvents(record, events.slice(0, count), findStep)
    expect(after(3)).toMatchObject({ status: 'suspended', suspension: { reason: 'ask', stepId: 'inner' } })
    expect(after(3).steps.map(({ status }) => status)).toEqual(['suspended', 'suspended'])
    expect(after(4).suspension).toBeUndefined()
    expect(after(5).steps.map(({ status }) => status)).toEqual(['running', 'running'])
    expect(after(7)).toMatchObject({ status: 'error', error, endedAt: at(16) })
    expect(after(7).steps[1]).toMatchObject({ status: 'error', attempts: 2, durationMs: 14 })
  })

  it('cancels a running step whose outer step has ended, as the loser of a race', () => {
    const events = sent(
      { type: 'step-start', ms: 1, from: 'outer', ...step, input: 1, attempt: 1 },
      { type: 'step-start', ms: 1, from: 'inner', ...step, input: 1, attempt: 1 },
      { type: 'step-complete', ms: 4, from: 'outer', ...step, output: 1, durationMs: 3, attempt: 1 },
    )
    expect(foldEvents(record, events, findStep).steps[1]).toMatchObject({
      status: 'cancelled',
      endTime: at(4),
    })
  })
})

describe('Attempts', () => {
  it('starts and ends attempts with the events of the step and of the workflow', () => {
    const error = { message: 'no', name: 'Error' }
    const attempts = new Attempts(
      sent(
        { type: 'step-start', ms: 1, from: 'a', ...step, input: 1, attempt: 1 },
        { type: 'step-error', ms: 3, from: 'a', ...step, error, attempt: 1, willRetry: true },
        { type: 'step-start', ms: 10, from: 'a', ...step, input: 1, attempt: 2 },
        { type: 'workflow-suspended', ms: 12, reason: '', stepId: 'a', stepIndex: 0, resumeSchema: null },
        { type: 'step-start', ms: 50, from: 'a', ...step, input: 1, attempt: 2 },
      ),
    )
    expect(attempts.of({ path: 'a', stepId: 'a' })).toEqual([
      { number: 1, start: 1, end: 3, status: 'error', error },
      { number: 2, start: 10, end: 12, status: 'suspended' },
      { number: 2, start: 50, end: undefined, status: 'running' },
    ])
  })

  it('end an attempt that a crash cut off when the next one starts', () => {
    const attempts = new Attempts(
      sent(
        { type: 'step-start', ms: 1, from: 'a', ...step, input: 1, attempt: 1 },
        { type: 'step-start', ms: 9, from: 'a', ...step, input: 1, attempt: 2 },
        { type: 'step-complete', ms: 12, from: 'a', ...step, output: 3, durationMs: 3, attempt: 2 },
      ),
    )
    expect(attempts.of({ path: 'a', stepId: 'a' })).toEqual([
      { number: 1, start: 1, end: 9, status: 'cancelled' },
      { number: 2, start: 9, end: 12, status: 'completed' },
    ])
  })
})
