import { expect, it } from 'vitest'
import type { ExecutionStatus } from '../../../src/contract/status.ts'
import type { ExecutionRow, ExecutionWrite, StepRow } from '../../../src/store/execution-store.ts'
import { eventRow, executionRow, insertion, stepRow } from './execution-rows.ts'
import type { StoreUnderTest } from './store-suite.ts'

const FULL_ROW: ExecutionRow = {
  id: 'full',
  workflowId: 'order',
  workflowName: 'Order ✓',
  status: 'suspended',
  ownerEpoch: 3,
  createdAt: 1_700_000_000_123,
  updatedAt: 1_700_000_000_124,
  endedAt: 1_700_000_000_125,
  userId: 'ann',
  user: '{"id":"ann"}',
  conversationId: 'talk',
  parentId: 'mother',
  definitionHash: 'hash',
  traceId: 'trace',
  spanId: 'span',
  input: '{"text":"\\u0000 \' \\" 日本"}',
  context: '{"a":1}',
  output: '[1]',
  error: '{"message":"no"}',
  suspension: '{"reason":"wait"}',
  suspendRequest: '{"reason":"soon"}',
  forkedFrom: '{"executionId":"x"}',
  owner: '"ann"',
  resumedUser: '{"id":"bob"}',
  pauseAt: '["charge"]',
  metadata: '{"plan":"pro"}',
  compensation: '"failed"',
  acceptedChanges: '{"at":"2026-01-01T00:00:00.000Z"}',
  kind: 'workflow',
  timesOutAt: 5000,
  failure: 'f1',
  scheduleId: 's1',
}

const FULL_STEP: StepRow = {
  isAnswerCall: true,
  path: 'outer/inner',
  stepId: 'inner',
  name: 'Inner',
  type: 'andWorkflow',
  position: 4,
  status: 'suspended',
  input: '1',
  output: '2',
  error: '3',
  attempts: 5,
  crashes: 2,
  suspected: 3,
  trial: 'passed',
  exempt: true,
  failures: 6,
  resumes: 7,
  suspendData: '8',
  resumeData: '9',
  timedOut: true,
  wakeAt: 1_700_000_000_001,
  startedAt: 1_700_000_000_002,
  endedAt: 1_700_000_000_003,
  childId: 'child',
  items: '[1]',
  event: 'payment',
  eventKey: 'A-1',
  eventId: 'e1',
  completion: 7,
}

const resumption = (id: string, updatedAt: number): ExecutionWrite => ({
  id,
  update: { from: 'suspended', ownerEpoch: 1, set: { status: 'running', updatedAt } },
})

const child = (id: string, status: ExecutionStatus, parentId = 'mother') =>
  insertion({ id, status, parentId })

const HOSTILE_TEXTS = [
  '',
  '\u0001 \u001A0 \u001A1 \u001B[31m \u007F',
  String.raw`\u0000 \\u0000 \\\u0000 \ud800 \\ud800 \n \\ x`,
  `'"; DROP TABLE executions; --$1 $$ {} % _`,
  '\n\n,\n \r\n \t \u2028 \u2029 \u0085 \uFEFF \uFFFE \uFFFF',
  '\u{1F469}\u200D\u{1F4BB} \u{10FFFF} \u202E e\u0301 \u00E9',
]

/** Tests of writes, and of reads of one execution. */
export function writingTests(store: StoreUnderTest): void {
  const write = async (...writes: Parameters<typeof store.executions.write>[0]) =>
    store.executions.write(writes)

  it('returns an execution as it was written', async () => {
    expect(await write({ id: 'full', insert: FULL_ROW }, insertion({ id: 'bare' }))).toEqual([true, true])
    expect({ ...(await store.executions.get('full')) }).toEqual(FULL_ROW)
    expect({ ...(await store.executions.get('bare')) }).toEqual(executionRow({ id: 'bare' }))
    expect(await store.executions.get('other')).toBeUndefined()
  })

  it('applies a write and those that belong together with it completely or not at all', async () => {
    const suspended = (id: string) => insertion({ id, status: 'suspended', ownerEpoch: 1 })
    await write(suspended('child'), suspended('parent'), suspended('outer'))
    const both = { ...resumption('child', 1), together: [resumption('parent', 1), resumption('outer', 1)] }
    await write(resumption('outer', 0))
    expect(await write(both)).toEqual([false])
    expect((await store.executions.get('child'))?.status).toBe('suspended')
    expect((await store.executions.get('parent'))?.status).toBe('suspended')
    expect(
      await write({ ...both, together: [{ ...resumption('parent', 1), events: [eventRow(1)] }] }),
    ).toEqual([true])
    expect((await store.executions.get('child'))?.status).toBe('running')
    expect((await store.executions.get('parent'))?.status).toBe('running')
    expect(await store.executions.lastSequence('parent')).toBe(1)
  })

  it('creates an execution together with the step that starts it, or neither', async () => {
    const parent = (set: object = {}): ExecutionWrite => ({
      id: 'parent',
      update: { from: 'running', ownerEpoch: 1, set: { updatedAt: 2, ...set } },
    })
    await write(insertion({ id: 'parent' }), insertion({ id: 'taken' }))
    const grandchild = insertion({ id: 'grandchild' })
    const nested = { ...insertion({ id: 'child' }), together: [grandchild] }
    expect(
      await write({ ...parent({ error: '1' }), together: [insertion({ id: 'taken' }), nested] }),
    ).toEqual([false])
    expect(
      await write({ ...parent(), together: [{ ...nested, together: [insertion({ id: 'taken' })] }] }),
    ).toEqual([false])
    expect(await store.executions.get('parent')).toEqual(executionRow({ id: 'parent' }))
    expect(await store.executions.get('child')).toBeUndefined()
    expect(await write({ ...parent(), together: [nested] }, grandchild)).toEqual([true, false])
    expect(await store.executions.get('child')).toEqual(executionRow({ id: 'child' }))
    expect(await store.executions.get('grandchild')).toEqual(executionRow({ id: 'grandchild' }))
    expect(await store.usage.hours(0)).toMatchObject([{ started: 4 }])
  })

  it('returns steps as they were written, in the order of their start', async () => {
    const steps = ['z', 'b', 'y', 'a'].map((path) => stepRow({ path, startedAt: 20 }))
    await write({ ...insertion({ id: 'a' }), steps: steps.slice(0, 2), events: [eventRow(1)] })
    await write({ id: 'a', steps: [FULL_STEP, ...steps.slice(2)], events: [eventRow(2)] })
    await write({ id: 'a', steps: [{ path: 'y', output: '1' }] })
    await write({ id: 'a', steps: [{ path: 'z', output: '2' }], events: [eventRow(3)] })
    const read = await store.executions.steps('a')
    expect(read.map(({ path }) => path)).toEqual(['z', 'b', 'outer/inner', 'y', 'a'])
    expect({ ...read[2] }).toEqual(FULL_STEP)
    expect(await store.executions.steps('b')).toEqual([])
  })

  it('replaces a step by its path, in its own execution only', async () => {
    await write(
      { ...insertion({ id: 'a' }), steps: [stepRow({ path: 's', output: '1' })] },
      { ...insertion({ id: 'b' }), steps: [stepRow({ path: 's', output: '1' })] },
    )
    await write({ id: 'a', steps: [stepRow({ path: 's', output: '2', status: 'completed' })] })
    expect((await store.executions.steps('a')).map(({ output }) => output)).toEqual(['2'])
    expect((await store.executions.steps('b')).map(({ output }) => output)).toEqual(['1'])
  })

  it('merges a change into the step row', async () => {
    const first = stepRow({ path: 's', input: '"in"', attempts: 1, wakeAt: 5 })
    await write({ ...insertion({ id: 'a' }), steps: [first], events: [eventRow(1)] })
    await write({ id: 'a', steps: [{ path: 's', attempts: 2, wakeAt: null }] })
    await write({
      id: 'a',
      steps: [{ path: 's', status: 'completed', output: '"out"' }],
      events: [eventRow(2)],
    })
    const [merged] = await store.executions.steps('a')
    expect({ ...merged }).toEqual({
      ...first,
      attempts: 2,
      wakeAt: null,
      status: 'completed',
      output: '"out"',
    })
    expect((await store.executions.events('a', { after: 0, limit: 10 })).map(({ seq }) => seq)).toEqual([
      1, 2,
    ])
  })

  it('has no events after a number that none can have', async () => {
    await write({ ...insertion({ id: 'a' }), events: [eventRow(1)] })
    for (const range of [{ limit: 10 }, { limit: 10, chars: 100 }])
      expect(await store.executions.events('a', { after: Number.MAX_SAFE_INTEGER, ...range })).toEqual([])
  })

  it('merges changes in the order of their writes, with and without events', async () => {
    for (const id of ['a', 'b']) {
      await write({ ...insertion({ id }), steps: [stepRow({ path: 's' })], events: [eventRow(1)] })
      await write({ id, steps: [{ path: 's', attempts: 2, exempt: false }], events: [eventRow(2)] })
      await write({ id, steps: [{ path: 's', exempt: true }] })
    }
    for (const id of ['a', 'b'])
      expect(await store.executions.steps(id)).toMatchObject([{ attempts: 2, exempt: true }])
  })

  it('keeps changes of steps that precede the first event', async () => {
    await write({ ...insertion({ id: 'a' }), steps: [stepRow({ path: 's' })] })
    await write({ id: 'a', steps: [{ path: 's', output: '1' }] })
    expect(await store.executions.lastSequence('a')).toBe(0)
    await write({ id: 'a', events: [eventRow(1), eventRow(2, true)] })
    expect((await store.executions.steps('a')).map(({ output }) => output)).toEqual(['1'])
    expect(await store.executions.events('a', { after: 0, limit: 10 })).toEqual([
      eventRow(1),
      eventRow(2, true),
    ])
  })

  it('keeps line breaks and all other characters of values', async () => {
    const text = JSON.stringify('line\nbreak \u2028 \r\n \u0000 \ud83d\ude00')
    const data = JSON.stringify({ type: 'custom', data: 'a\nb' })
    await write({
      ...insertion({ id: 'a', input: text }),
      steps: [stepRow({ path: 's', input: text, output: text, error: text, suspendData: text })],
      events: [{ seq: 1, data }],
    })
    expect(await store.executions.steps('a')).toEqual([
      expect.objectContaining({ input: text, output: text, error: text }),
    ])
    expect((await store.executions.events('a', { after: 0, limit: 1 }))[0]?.data).toBe(data)
  })

  it('keeps every character of texts that are not JSON, and finds by them', async () => {
    const texts = HOSTILE_TEXTS.map((text) => `hostile ${text}`)
    const rows = texts.map((text, index) =>
      executionRow({
        id: `${index} ${text}`,
        workflowId: text,
        workflowName: text,
        userId: text,
        conversationId: text,
        parentId: text,
        definitionHash: text,
        traceId: text,
        spanId: text,
      }),
    )
    await write(...rows.map((row) => ({ ...insertion(row), events: [eventRow(1, true)] })))
    for (const [index, row] of rows.entries()) {
      expect(await store.executions.get(row.id)).toEqual(row)
      expect((await store.executions.history(row.id))?.row).toEqual(row)
      expect(await store.executions.ownership(row.id)).toMatchObject({
        id: row.id,
        workflowId: row.workflowId,
      })
      const text = texts[index] ?? ''
      const filter = {
        id: row.id,
        workflowId: text,
        userId: text,
        conversationId: text,
        parentExecutionId: text,
      }
      expect(await store.executions.list(filter, { limit: 10, offset: 0 })).toEqual([
        { ...row, events: [eventRow(1, true)], omitted: [] },
      ])
      expect(await store.executions.count({ userId: text })).toBe(1)
      expect(await store.executions.openChildren(text)).toEqual([row.id])
      expect(await store.usage.recent(text, 10)).toMatchObject([{ id: row.id }])
      const set = { status: 'completed', updatedAt: 2, endedAt: 2 } as const
      expect(await write({ id: row.id, update: { from: 'running', set } })).toEqual([true])
    }
    const listed = (await store.executions.milestones({ after: 0, limit: 100 })).map(
      ({ execution }) => execution.id,
    )
    expect(listed).toEqual(rows.map(({ id }) => id))
  })

  it('keeps every character of JSON text', async () => {
    const text = JSON.stringify(['\\u0000', ...HOSTILE_TEXTS, '\ud800', '\udc00 \\ud800'])
    const row = executionRow({
      id: 'a',
      input: text,
      context: text,
      user: text,
      output: text,
      error: text,
      suspension: text,
      suspendRequest: text,
      forkedFrom: text,
      owner: text,
      resumedUser: text,
      pauseAt: text,
      metadata: text,
    })
    const step = stepRow({ path: 's', stepId: HOSTILE_TEXTS.join(), input: text, output: text })
    const data = JSON.stringify({ type: 'custom', data: JSON.parse(text) as unknown })
    await write({ id: 'a', insert: row, steps: [step], events: [{ seq: 1, data }] })
    expect(await store.executions.get('a')).toEqual(row)
    expect(await store.executions.steps('a')).toEqual([step])
    expect(await store.executions.events('a', { after: 0, limit: 10 })).toEqual([{ seq: 1, data }])
    const set = { updatedAt: 2, output: `${text} `, error: null, suspendRequest: `${text}  ` } as const
    expect(await write({ id: 'a', update: { from: 'running', set } })).toEqual([true])
    expect(await store.executions.get('a')).toEqual({ ...row, ...set })
  })

  it('does not apply a write whose id is taken, nor its steps and events', async () => {
    await write({ ...insertion({ id: 'a', input: '"first"' }), events: [eventRow(1)] })
    const second = {
      ...insertion({ id: 'a', input: '"second"' }),
      steps: [stepRow({ path: 's' })],
      events: [eventRow(2)],
    }
    expect(await write(second, insertion({ id: 'b' }))).toEqual([false, true])
    expect((await store.executions.get('a'))?.input).toBe('"first"')
    expect(await store.executions.steps('a')).toEqual([])
    expect(await store.executions.lastSequence('a')).toBe(1)
  })

  it('changes only the given columns', async () => {
    await write({ id: 'full', insert: FULL_ROW })
    const set = {
      status: 'completed',
      updatedAt: 9,
      endedAt: 9,
      output: '{"done":true}',
      suspension: null,
    } as const
    expect(await write({ id: 'full', update: { from: 'suspended', set } })).toEqual([true])
    expect({ ...(await store.executions.get('full')) }).toEqual({ ...FULL_ROW, ...set })
    const more = { updatedAt: 10, error: null, suspendRequest: '{}', ownerEpoch: 4 } as const
    await write({ id: 'full', update: { from: 'completed', set: more } })
    expect({ ...(await store.executions.get('full')) }).toEqual({ ...FULL_ROW, ...set, ...more })
  })

  it('changes an execution only in the expected status, and changes nothing otherwise', async () => {
    await write({ ...insertion({ id: 'a' }), steps: [stepRow({ path: 'open' })] })
    const refused = {
      id: 'a',
      update: { from: 'suspended', set: { status: 'completed', updatedAt: 9, output: '1' } },
      cancelStepsAt: 9,
      steps: [stepRow({ path: 's' })],
      events: [eventRow(1)],
    } as const
    expect(await write(refused)).toEqual([false])
    expect({ ...(await store.executions.get('a')) }).toEqual(executionRow({ id: 'a' }))
    expect((await store.executions.steps('a')).map(({ path, status }) => [path, status])).toEqual([
      ['open', 'running'],
    ])
    expect(await store.executions.lastSequence('a')).toBe(0)
    expect(await write({ id: 'nobody', update: { from: 'running', set: { updatedAt: 9 } } })).toEqual([false])
  })

  it('applies one of many writes that expect the same status', async () => {
    await write(insertion({ id: 'a', status: 'suspended' }))
    const apart = Array.from({ length: 10 }, (_, n) => write(resumption('a', n), resumption('a', n + 100)))
    const answers = (await Promise.all(apart)).flat()
    expect(answers.filter(Boolean)).toHaveLength(1)
  })

  it('numbers appended events after the stored ones, whatever their number is', async () => {
    const events = [eventRow(1, true), eventRow(2), eventRow(3)]
    await write(
      { ...insertion({ id: 'a' }), steps: [stepRow({ path: 's' })], events },
      insertion({ id: 'b' }),
    )
    const cancel = (id: string) =>
      ({
        id,
        update: { from: 'running', set: { status: 'cancelled', ownerEpoch: 2, updatedAt: 9, endedAt: 9 } },
        cancelStepsAt: 9,
        events: [eventRow(1, true), eventRow(2)],
        appends: true,
      }) as const
    expect(await write(cancel('a'), cancel('b'), cancel('a'))).toEqual([true, true, false])
    const numbers = async (id: string) =>
      (await store.executions.events(id, { after: 0, limit: 100 })).map(({ seq }) => seq)
    expect([await numbers('a'), await numbers('b')]).toEqual([
      [1, 2, 3, 4, 5],
      [1, 2],
    ])
    expect(await store.executions.lastSequence('a')).toBe(5)
    expect(await store.executions.newestMilestone()).toBe(3)
    // the owner of before does not know that it was cancelled
    const late = { from: 'running', ownerEpoch: 1, set: { updatedAt: 10 } } as const
    expect(await write({ id: 'a', update: late, events: [eventRow(4)] })).toEqual([false])
    expect(await numbers('a')).toEqual([1, 2, 3, 4, 5])
  })

  it('does not apply writes of an earlier owner', async () => {
    await write(insertion({ id: 'a', ownerEpoch: 1 }))
    const takeOver = { from: 'running', ownerEpoch: 1, set: { ownerEpoch: 2, updatedAt: 2 } } as const
    expect(await write({ id: 'a', update: takeOver })).toEqual([true])
    const late = { from: 'running', ownerEpoch: 1, set: { status: 'completed', updatedAt: 3 } } as const
    expect(await write({ id: 'a', update: late, steps: [stepRow({ path: 's' })] })).toEqual([false])
    expect(await store.executions.get('a')).toMatchObject({ status: 'running', ownerEpoch: 2, updatedAt: 2 })
    expect(await store.executions.steps('a')).toEqual([])
  })

  it('stores nothing of a batch in which one write fails', async () => {
    await write({ ...insertion({ id: 'a' }), events: [eventRow(1)] })
    const batch = write(
      { id: 'a', update: { from: 'running', set: { status: 'completed', updatedAt: 2 } } },
      insertion({ id: 'b' }),
      { id: 'a', steps: [stepRow({ path: 's' })], events: [eventRow(1)] },
    )
    await expect(batch).rejects.toThrow(Error)
    expect(await store.executions.get('a')).toMatchObject({ status: 'running', updatedAt: 1000 })
    expect(await store.executions.get('b')).toBeUndefined()
    expect(await store.executions.steps('a')).toEqual([])
    expect(await write(insertion({ id: 'b' }))).toEqual([true])
  })

  it('marks open steps as cancelled', async () => {
    const paths = ['running', 'suspended', 'completed', 'error', 'skipped'] as const
    const steps = paths.map((status) => stepRow({ path: status, status }))
    await write({ ...insertion({ id: 'a' }), steps }, { ...insertion({ id: 'b' }), steps })
    await write({ id: 'a', cancelStepsAt: 77 })
    const after = new Map((await store.executions.steps('a')).map((step) => [step.path, step]))
    expect(paths.map((path) => after.get(path)?.status)).toEqual([
      'cancelled',
      'cancelled',
      'completed',
      'error',
      'skipped',
    ])
    expect(paths.map((path) => after.get(path)?.endedAt)).toEqual([77, 77, null, null, null])
    expect((await store.executions.steps('b')).some(({ status }) => status === 'cancelled')).toBe(false)
  })

  it('reads events in order, after a number and up to a limit', async () => {
    const events = [1, 2, 3].map((seq) => eventRow(seq, seq === 1))
    await write({ ...insertion({ id: 'a' }), events }, { ...insertion({ id: 'b' }), events: [eventRow(1)] })
    await write({ id: 'a', events: [eventRow(4), eventRow(5)] })
    const numbers = async (after: number, limit: number) =>
      (await store.executions.events('a', { after, limit })).map(({ seq }) => seq)
    expect(await numbers(0, 100)).toEqual([1, 2, 3, 4, 5])
    expect(await numbers(2, 2)).toEqual([3, 4])
    expect(await numbers(5, 100)).toEqual([])
    expect(await store.executions.events('a', { after: 0, limit: 2 })).toEqual([
      eventRow(1, true),
      eventRow(2),
    ])
    expect(await store.executions.lastSequence('a')).toBe(5)
    expect(await store.executions.lastSequence('nobody')).toBe(0)
  })

  it('reads the row, the steps and the last sequence number of an execution together', async () => {
    const steps = [stepRow({ path: 'one' }), stepRow({ path: 'two' })]
    await write({ ...insertion({ id: 'a' }), steps, events: [eventRow(1), eventRow(2)] })
    await write(insertion({ id: 'b' }))
    expect(await store.executions.history('a')).toEqual({
      row: executionRow({ id: 'a' }),
      steps,
      lastSequence: 2,
    })
    expect(await store.executions.history('b')).toEqual({
      row: executionRow({ id: 'b' }),
      steps: [],
      lastSequence: 0,
    })
    expect(await store.executions.history('nobody')).toBeUndefined()
  })

  it('does not apply an update when the execution has more events than expected', async () => {
    await write({ ...insertion({ id: 'a' }), events: [eventRow(1), eventRow(2)] }, insertion({ id: 'b' }))
    const update = (id: string, lastSequence: number): ExecutionWrite => ({
      id,
      update: { from: 'running', ownerEpoch: 1, lastSequence, set: { updatedAt: 2000 } },
    })
    expect(await write(update('a', 1), update('a', 2), update('a', 3))).toEqual([false, true, false])
    expect(await write(update('b', 1), update('b', 0))).toEqual([false, true])
  })

  it('reads events up to a number of characters, and at least one', async () => {
    const sized = (seq: number, size: number) => ({
      ...eventRow(seq),
      data: JSON.stringify('é'.repeat(size - 2)),
    })
    await write({ ...insertion({ id: 'a' }), events: [1, 2, 3].map((seq) => sized(seq, 100)) })
    for (let seq = 4; seq <= 30; seq++) await write({ id: 'a', events: [sized(seq, 10)] })
    const numbers = async (after: number, chars: number) =>
      (await store.executions.events('a', { after, limit: 20, chars })).map(({ seq }) => seq)
    expect(await numbers(0, 99)).toEqual([1])
    expect(await numbers(0, 299)).toEqual([1, 2])
    expect(await numbers(1, 200)).toEqual([2, 3])
    expect(await numbers(2, 125)).toEqual([3, 4, 5])
    expect(await numbers(3, 10_000)).toEqual(Array.from({ length: 20 }, (_, index) => index + 4))
    expect(await numbers(29, 10_000)).toEqual([30])
    expect(await numbers(30, 10_000)).toEqual([])
    const [event] = await store.executions.events('a', { after: 0, limit: 1, chars: 1 })
    expect(event).toEqual(sized(1, 100))
  })

  it('keeps values of megabytes', async () => {
    const output = JSON.stringify('é'.repeat(3_000_000))
    await write({
      id: 'a',
      insert: executionRow({ id: 'a', output }),
      steps: [stepRow({ path: 's', output })],
    })
    expect((await store.executions.get('a'))?.output).toBe(output)
    expect((await store.executions.steps('a'))[0]?.output).toBe(output)
  })

  it('returns large values wherever they belong, though they are stored once', async () => {
    const text = (name: string) => JSON.stringify(`${name} \0 é\n"`.repeat(400))
    const [input, checked, output] = [text('input'), text('checked'), text('output')]
    const event = (seq: number, type: string, member: string, value: string) => ({
      seq,
      data: `{"type":"${type}","${member}":${value}}`,
      value: { member, text: value },
    })
    const events = [
      event(1, 'workflow-start', 'input', input),
      event(2, 'step-start', 'input', input),
      event(3, 'step-complete', 'output', checked),
      event(4, 'step-start', 'input', checked),
      event(5, 'step-complete', 'output', output),
      event(6, 'workflow-complete', 'output', output),
      event(7, 'workflow-result', 'result', output),
    ]
    const check = stepRow({ path: 'check', input })
    const pay = stepRow({ path: 'pay', input: checked })
    const set = { updatedAt: 2000 }
    const update = { from: 'running', ownerEpoch: 1, set } as const
    await write(
      { ...insertion({ id: 'a', input }), steps: [check], events: events.slice(0, 2) },
      { id: 'a', update, steps: [{ path: 'check', output: checked }, pay], events: events.slice(2, 4) },
      {
        id: 'a',
        update: { ...update, set: { ...set, status: 'completed', output, endedAt: 2000 } },
        steps: [{ path: 'pay', output }],
        events: events.slice(4),
      },
    )
    const whole = events.map(({ seq, data }) => ({ seq, data }))
    const read = (range: { after: number; limit: number; chars?: number }) =>
      store.executions.events('a', range)
    expect(await read({ after: 0, limit: 9 })).toEqual(whole)
    expect(await read({ after: 3, limit: 2, chars: 1e6 })).toEqual(whole.slice(3, 5))
    expect(await read({ after: 2, limit: 9, chars: 20_000 })).toEqual(whole.slice(2, 4))
    expect(await store.executions.steps('a')).toEqual([
      { ...check, output: checked },
      { ...pay, output },
    ])
    const listed = [whole[0], whole[5]]
    expect(await store.executions.workflowEvents('a')).toEqual(listed)
    expect((await store.executions.list({}, { limit: 1, offset: 0 }))[0]?.events).toEqual(listed)
    const milestones = await store.executions.milestones({ after: 0, limit: 9 })
    expect(milestones.at(-1)?.execution.events).toEqual(listed)
  })

  it('returns the children of an execution that have not ended', async () => {
    await write(
      insertion({ id: 'mother' }),
      child('a', 'running'),
      child('b', 'suspended'),
      child('c', 'completed'),
      child('d', 'error'),
      child('e', 'cancelled'),
      child('f', 'running', 'aunt'),
    )
    expect(await store.executions.openChildren('mother')).toEqual(['a', 'b'])
    expect(await store.executions.openChildren('a')).toEqual([])
  })
}
