import { expect, it } from 'vitest'
import {
  eventsOf,
  foldChanges,
  foldSteps,
  journalTexts,
  workflowLevelEvents,
} from '../../../../src/store/rows/executions/journal-row.ts'
import { executionRow, stepRow } from '../../../suites/store/execution-rows.ts'

it('steps are in the order in which the journal has their starts, whatever the clock said', () => {
  const started = [
    { path: 'lines[9]', startedAt: 7 },
    { path: 'lines[10]', startedAt: 7 },
    { path: 'lines[10]/price', startedAt: 7 },
    { path: 'book', startedAt: 7 },
    { path: 'after-a-take-over', startedAt: 5 },
  ]
  const ended = started.toReversed().map(({ path }) => ({ path, status: 'completed' }))
  const steps = foldChanges([...started, ...ended] as never)
  expect(steps.map(({ path }) => path)).toEqual(started.map(({ path }) => path))
})

const LARGE = JSON.stringify('é"\n'.repeat(500))
const event = (seq: number, type: string, member: string, text: string) => ({
  seq,
  data: `{"type":"${type}","from":"s","${member}":${text}}`,
  value: { member, text },
})
const dataOf = (events: readonly { seq: number; data: string }[]) =>
  events.map(({ seq, data }) => ({ seq, data }))

it('a large value of a commit is stored once, and read wherever it belongs', () => {
  const steps = [
    { path: 'check', status: 'completed', output: LARGE },
    stepRow({ path: 'pay', input: LARGE }),
  ] as const
  const events = [event(4, 'step-complete', 'output', LARGE), event(5, 'step-start', 'input', LARGE)]
  const texts = journalTexts(steps, events, {})
  expect(`${texts.steps}${texts.events}`.split(JSON.stringify(LARGE).slice(1, -1))).toHaveLength(2)
  expect(texts.events).not.toContain(LARGE)
  expect(dataOf(eventsOf({ seq: 5, ...texts }))).toEqual(dataOf(events))
  const before = JSON.stringify([stepRow({ path: 'check' })])
  const [check, pay] = foldSteps(`[${before},${texts.steps}]`)
  expect(check).toEqual(stepRow({ path: 'check', status: 'completed', output: LARGE }))
  expect(pay).toEqual(steps[1])
})

it('events refer to the input and the output of their execution, without which lists leave them out', () => {
  const execution = { input: LARGE, output: `[${LARGE}]` }
  const steps = [{ path: 'pay', output: execution.output }]
  const events = [
    event(1, 'workflow-start', 'input', execution.input),
    event(2, 'step-complete', 'output', execution.output),
    event(3, 'workflow-complete', 'output', execution.output),
    event(4, 'workflow-result', 'result', execution.output),
    event(5, 'workflow-queued', 'reason', '"none"'),
  ]
  const insert = executionRow({ id: 'e', ...execution })
  const texts = journalTexts(steps, events, { insert })
  expect(texts.events).not.toContain(LARGE)
  expect(dataOf(eventsOf({ seq: 5, ...texts, ...execution }))).toEqual(dataOf(events))
  const numbers = (values: { input: string | null; output: string | null }) =>
    workflowLevelEvents([{ seq: 5, events: texts.events }], values).map(({ seq }) => seq)
  expect(numbers(execution)).toEqual([1, 3, 5])
  expect(numbers({ ...execution, output: null })).toEqual([1, 5])
  expect(() => eventsOf({ seq: 5, ...texts })).toThrow('Event 1 refers to a value that is missing')
})

it('small values, and those that nothing else has, are stored with their events', () => {
  const events = [event(1, 'step-start', 'input', '"a"'), event(2, 'custom', 'data', LARGE)]
  const texts = journalTexts([stepRow({ path: 'pay', input: '"a"' })], events, {
    insert: executionRow({ id: 'e', input: '"a"' }),
  })
  expect(texts.events).toBe(`[${events.map(({ data }) => data).join(',\n')}]`)
})
