import { expect, it } from 'vitest'
import type { StepRecord } from '../../../../../../src/contract/endpoints/execution.ts'
import type { LogRecord } from '../../../../../../src/contract/endpoints/log.ts'
import type { Span } from '../../../../../../src/contract/endpoints/trace.ts'
import { runParts } from '../../../../../../src/console/screens/execution/run/run-parts.ts'

const at = (ms: number) => new Date(1_000_000 + ms).toISOString()

function span(
  spanId: string,
  parentSpanId: string | null,
  attributes: Record<string, unknown>,
  ms = 0,
): Span {
  return {
    traceId: 't',
    spanId,
    parentSpanId,
    name: spanId,
    kind: 'internal',
    startTime: at(ms),
    endTime: at(ms + 1),
    durationMs: 1,
    status: 'ok',
    attributes,
    events: [],
    links: [],
  }
}
const run = (executionId: string) => ({
  'gen_ai.operation.name': 'invoke_workflow',
  'agentserver.execution.id': executionId,
})
const step = (path: string) => ({ 'agentserver.step.id': path, 'agentserver.step.path': path })

function log(id: string, spanId: string | null, attributes: Record<string, unknown> = {}): LogRecord {
  return {
    id,
    timestamp: at(0),
    level: 'info',
    message: id,
    attributes,
    traceId: 't',
    spanId,
    executionId: 'order',
  }
}

const SPANS = [
  span('request', null, {}),
  span('order', 'request', run('order')),
  span('first-try', 'order', step('ask')),
  span('second-try', 'order', step('ask')),
  span('agent', 'second-try', { 'gen_ai.operation.name': 'invoke_agent' }, 3),
  span('model', 'agent', { 'gen_ai.operation.name': 'chat' }, 4),
  span('ship', 'order', step('ship')),
  span('child', 'ship', run('child')),
  span('child-step', 'child', step('ask')),
]
const STEPS = ['ask', 'ship'].map((path) => ({ path, stepId: path }) as StepRecord)
const ORDER = { id: 'order', steps: STEPS }

function idsOf(parts: ReturnType<typeof runParts>, path: string): readonly string[] {
  return (parts.ofStep.get(path) ?? []).flatMap((part) =>
    'spans' in part ? part.spans.map((one) => `${one.depth} ${one.span.spanId}`) : [part.log.id],
  )
}

it('a call is in the step that made it, and a child execution with its steps in the step that started it', () => {
  const parts = runParts(ORDER, SPANS, [])
  expect(idsOf(parts, 'ask')).toEqual(['0 agent', '1 model'])
  expect(idsOf(parts, 'ship')).toEqual(['0 child', '1 child-step'])
  expect(idsOf(parts, '')).toEqual([])
})

it('the spans of a parent execution and of the request are not in a child execution', () => {
  const parts = runParts({ id: 'child', steps: [{ path: 'ask', stepId: 'ask' } as StepRecord] }, SPANS, [])
  expect([...parts.ofStep.keys()]).toEqual([])
  expect([...parts.pathOf]).toEqual([
    ['child', ''],
    ['child-step', 'ask'],
  ])
})

it('a log record is in its call, else in its step, else in the execution', () => {
  const parts = runParts(ORDER, SPANS, [
    log('in the model call', 'model'),
    log('in the step', 'first-try'),
    log('by the id of the step', null, { stepId: 'ship' }),
    log('of the execution', 'order'),
  ])
  expect(parts.ofSpan.get('model')?.map(({ id }) => id)).toEqual(['in the model call'])
  expect(idsOf(parts, 'ask')).toEqual(['in the step', '0 agent', '1 model'])
  expect(idsOf(parts, 'ship')).toContain('by the id of the step')
  expect(idsOf(parts, '')).toEqual(['of the execution'])
})

it('spans whose parents form a circle are left out', () => {
  const circle = [span('a', 'b', {}), span('b', 'a', {})]
  expect(runParts(ORDER, [...SPANS, ...circle], []).ofStep.size).toBe(2)
})
