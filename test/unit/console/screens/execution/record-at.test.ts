import { expect, it } from 'vitest'
import { eventTimes, recordAt } from '../../../../../src/console/screens/execution/record-at.ts'
import type { ExecutionDetail } from '../../../../../src/contract/endpoints/execution.ts'
import type { RecordedEvent } from '../../../../../src/contract/event.ts'

const at = (ms: number) => new Date(1_000_000 + ms).toISOString()
const step = { stepIndex: 0, stepType: 'andThen', status: 'running' }
const EVENTS: RecordedEvent[] = [
  { id: '1', type: 'workflow-start', name: 'W', from: 'W', startTime: at(0), status: 'running', input: 1 },
  { id: '2', type: 'step-start', name: 'a', from: 'a', startTime: at(10), ...step, input: 1, attempt: 1 },
  {
    id: '3',
    type: 'step-complete',
    name: 'a',
    from: 'a',
    startTime: at(10),
    endTime: at(20),
    ...step,
    output: 2,
    attempt: 1,
  },
  {
    id: '4',
    type: 'workflow-suspended',
    name: 'W',
    from: 'W',
    startTime: at(30),
    endTime: at(30),
    status: 'suspended',
    reason: 'ok?',
    stepId: 'b',
    stepIndex: 1,
  },
  {
    id: '5',
    type: 'workflow-resumed',
    name: 'W',
    from: 'W',
    startTime: at(40),
    status: 'running',
    stepId: 'b',
  },
  {
    id: '6',
    type: 'workflow-complete',
    name: 'W',
    from: 'W',
    startTime: at(50),
    endTime: at(50),
    status: 'success',
    output: 3,
  },
]
const RECORD: ExecutionDetail = {
  id: 'x',
  workflowId: 'w',
  workflowName: 'W',
  status: 'completed',
  input: 1,
  output: 3,
  metadata: { traceId: 't', spanId: 's' },
  events: EVENTS,
  createdAt: at(0),
  updatedAt: at(50),
  endedAt: at(50),
  definitionHash: 'h',
  context: {},
  steps: [
    {
      stepId: 'a',
      path: 'g/a',
      name: 'Step A',
      type: 'andThen',
      status: 'completed',
      input: 1,
      output: 2,
      attempts: 1,
      startTime: at(10),
      endTime: at(20),
      durationMs: 10,
    },
  ],
}
const seen = (ms: number) => recordAt(RECORD, 1_000_000 + ms)

it('an execution at a moment has the steps, events, status and output of then', () => {
  expect(seen(5)).toMatchObject({ status: 'running', steps: [] })
  expect(seen(5)).not.toHaveProperty('output')
  expect(seen(5)).not.toHaveProperty('endedAt')
  expect(seen(15).steps).toMatchObject([{ path: 'g/a', name: 'Step A', status: 'running', endTime: null }])
  expect(seen(20).steps).toMatchObject([{ path: 'g/a', status: 'completed', output: 2, durationMs: 10 }])
  expect(seen(35)).toMatchObject({ status: 'suspended', suspension: { reason: 'ok?', stepId: 'b' } })
  expect(seen(45).events).toHaveLength(5)
  expect(seen(45)).not.toHaveProperty('suspension')
  expect(seen(50)).toMatchObject({ status: 'completed', output: 3, endedAt: at(50) })
})

it('the times of events are distinct and in order', () => {
  const twice = { ...RECORD, events: [...EVENTS, ...EVENTS.toReversed()] }
  expect(eventTimes(twice)).toEqual([0, 10, 20, 30, 40, 50].map((ms) => 1_000_000 + ms))
})
