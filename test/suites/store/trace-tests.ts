import { expect, it } from 'vitest'
import type { TraceFilter } from '../../../src/store/trace-store.ts'
import type { StoreUnderTest } from './store-suite.ts'
import { T0, nameOf, spanId, spanOf, traceChange as change, traceId } from './trace-rows.ts'

/** Tests of traces and their spans. */
export function traceTests(store: StoreUnderTest): void {
  const listed = async (filter: TraceFilter = {}, limit = 100) =>
    (await store.traces.list(filter, { limit })).map((row) => nameOf(row.traceId))

  it('are returned as they were stored, with their spans in the order of their start', async () => {
    const entity = { type: 'workflow', id: 'order', name: 'Order' } as const
    const usage = { inputTokens: 3, outputTokens: 4, costNano: 5 }
    const spans = [spanOf(T0 + 5000, 0, '{"b":"\\n"}'), spanOf(T0, 1, '{"a":1}')]
    await store.traces.write([change('one', { entity, usage, spans })])
    expect(await store.traces.get(traceId('one'))).toEqual({
      number: 1,
      traceId: traceId('one'),
      startedAt: T0,
      endedAt: T0 + 10,
      name: 'GET /hello',
      kind: 'server',
      status: 'ok',
      spanCount: 2,
      entity,
      usage,
    })
    expect((await store.traces.spans(traceId('one'), { limit: 10 })).map(({ data }) => data)).toEqual([
      '{"a":1}',
      '{"b":"\\n"}',
    ])
    expect(await store.traces.get(traceId('two'))).toBeUndefined()
    expect(await store.traces.spans(traceId('two'), { limit: 10 })).toEqual([])
  })

  it('grow by later spans, a later end, more tokens and a later entity', async () => {
    const usage = { inputTokens: 1, outputTokens: 2, costNano: 3 }
    const entity = { type: 'agent', id: 'a', name: 'A' } as const
    await store.traces.write([change('t', { status: 'running' })])
    await store.traces.write([
      change('t', { startedAt: T0 + 1, name: 'invoke_agent a', entity, usage, spans: [spanOf(T0 + 1)] }),
    ])
    await store.traces.write([
      change('t', { entity: { ...entity, id: 'b' }, name: 'b', usage, spans: [spanOf(T0 + 2)] }),
    ])
    await store.traces.write([change('t', { status: undefined, endedAt: T0 + 99, spans: [spanOf(T0 + 3)] })])
    expect(await store.traces.get(traceId('t'))).toMatchObject({
      startedAt: T0,
      endedAt: T0 + 99,
      status: 'ok',
      name: 'invoke_agent a',
      entity,
      spanCount: 4,
      usage: { inputTokens: 2, outputTokens: 4, costNano: 6 },
    })
    expect(await store.traces.totals()).toEqual({ traces: 1, spans: 4 })
  })

  it('cost the sum of their model calls, which is unknown when that of one is', async () => {
    const usage = { inputTokens: 1, outputTokens: 1 }
    const costOf = async () => (await store.traces.get(traceId('t')))?.usage?.costNano
    await store.traces.write([change('t', { status: 'running' })])
    await store.traces.write([change('t', { usage: { ...usage, costNano: 5 }, spans: [spanOf(T0 + 1)] })])
    await store.traces.write([change('t', { spans: [spanOf(T0 + 2)] })])
    expect(await costOf()).toBe(5)
    await store.traces.write([change('t', { usage: { ...usage, costNano: null }, spans: [spanOf(T0 + 3)] })])
    await store.traces.write([change('t', { usage: { ...usage, costNano: 7 }, spans: [spanOf(T0 + 4)] })])
    expect(await costOf()).toBeNull()
  })

  it('have each span once, in the last written version', async () => {
    const open = spanOf(T0, 0, '{"endTime":null}')
    await store.traces.write([change('t', { spans: [open, spanOf(T0 + 1)] })])
    await store.traces.write([change('t', { spans: [{ ...open, isNew: false, data: '{"endTime":5}' }] })])
    expect((await store.traces.spans(traceId('t'), { limit: 10 })).map(({ data }) => data)).toEqual([
      '{"endTime":5}',
      '{"endTime":1}',
    ])
    expect(await store.traces.span(spanId(T0))).toMatchObject({
      traceId: traceId('t'),
      data: '{"endTime":5}',
    })
    expect(await store.traces.span(spanId(T0 + 7))).toBeUndefined()
    expect(await store.traces.get(traceId('t'))).toMatchObject({ spanCount: 2 })
  })

  it('return up to a number of spans, each in the last written version', async () => {
    const open = spanOf(T0, 0, '{"endTime":null}')
    await store.traces.write([change('t', { spans: [open] })])
    for (let at = 1; at < 500; at++)
      await store.traces.write([change('t', { spans: [spanOf(T0 + at * 2000)] })])
    await store.traces.write([change('t', { spans: [{ ...open, isNew: false, data: '{"endTime":5}' }] })])
    const spans = await store.traces.spans(traceId('t'), { limit: 3 })
    expect(spans.map((span) => span.spanId)).toEqual([T0, T0 + 2000, T0 + 4000].map((at) => spanId(at)))
    expect(spans[0]?.data).toBe('{"endTime":5}')
  })

  it('are paged without gaps or duplicates, in any order of writing', async () => {
    const at = Array.from({ length: 60 }, (_, index) => T0 + index * 100)
    // spans are written when they end: every seventh one after spans that started later
    for (let turn = 0; turn < 7; turn++) {
      const spans = at.filter((_, index) => index % 7 === turn).map((start) => spanOf(start))
      await store.traces.write([change('t', { spans })])
    }
    const seen: string[] = []
    for (let after = ''; ;) {
      const page = await store.traces.spans(traceId('t'), { limit: 8, after })
      seen.push(...page.map((span) => span.spanId))
      if (page.length < 8) break
      after = page.at(-1)?.spanId ?? ''
    }
    expect(seen).toEqual(at.map((start) => spanId(start)))
  })

  it('are found by their subjects, and only by theirs', async () => {
    const subjects = [
      ['workflowId', 'w'],
      ['executionId', 'e'],
      ['agentId', 'a'],
      ['conversationId', 'c'],
      ['userId', 'u'],
    ] as const
    const without = (name: string) => subjects.filter(([subject]) => subject !== name)
    await store.traces.write([
      change('all', { subjects }),
      ...subjects.map(([name]) => change(name, { subjects: [...without(name), [name, 'other']] })),
    ])
    for (const [name, id] of subjects) {
      const others = ['all', ...subjects.map(([subject]) => subject).filter((one) => one !== name)]
      expect((await listed({ [name]: id })).toSorted()).toEqual(others.toSorted())
      expect(await listed({ [name]: 'other' })).toEqual([name])
      expect(await listed({ [name]: 'nobody' })).toEqual([])
    }
    expect(await listed(Object.fromEntries(subjects))).toEqual(['all'])
  })

  it('are found by subjects with any characters', async () => {
    const ids = ['with \0 NUL', 'with \u001A1', 'x'.repeat(600)]
    await store.traces.write(
      ids.map((id, n) =>
        change(`t${n}`, {
          subjects: [
            ['userId', id],
            ['agentId', id],
          ],
        }),
      ),
    )
    for (const [n, id] of ids.entries()) {
      expect(await listed({ userId: id })).toEqual([`t${n}`])
      expect(await listed({ userId: id, agentId: id })).toEqual([`t${n}`])
    }
  })

  it('are found by status, time, duration and words', async () => {
    await store.traces.write([
      change('ok', { startedAt: T0 + 1, endedAt: T0 + 11 }),
      change('error', { startedAt: T0 + 2, endedAt: T0 + 102, status: 'error', name: 'POST /50%_off/b' }),
      change('running', { startedAt: T0 + 3, endedAt: T0 + 4, status: 'running', name: String.raw`a\b` }),
    ])
    expect(await listed()).toEqual(['running', 'error', 'ok'])
    for (const status of ['ok', 'error', 'running'] as const)
      expect(await listed({ status })).toEqual([status])
    expect(await listed({ from: T0 + 1 })).toEqual(['running', 'error'])
    expect(await listed({ to: T0 + 3 })).toEqual(['error', 'ok'])
    expect(await listed({ minDurationMs: 10 })).toEqual(['error', 'ok'])
    expect(await listed({ minDurationMs: 100.5 })).toEqual([])
    expect(await listed({ words: ['/B', 'post'] })).toEqual(['error'])
    expect(await listed({ words: ['%_'] })).toEqual(['error'])
    expect(await listed({ words: ['\\'] })).toEqual(['running'])
    expect(await listed({ words: ['post', 'hello'] })).toEqual([])
    await store.traces.write([change('a', { name: 'GET /Äpfel' }), change('o', { name: 'GET /Opfel' })])
    expect(await listed({ words: ['äpfel'] })).toEqual(['a'])
    expect(await listed({ words: ['hello'], status: 'error' })).toEqual([])
    expect(await listed({ traceId: traceId('o') })).toEqual(['o'])
    expect(await listed({ traceId: traceId('o'), words: ['äpfel'] })).toEqual([])
  })

  it.each([{}, { workflowId: 'w' }, { words: ['hello'] }])(
    'are paged without a gap or a repetition while new ones arrive: %o',
    async (filter) => {
      const of = (name: string, startedAt: number) =>
        change(name, { startedAt, subjects: [['workflowId', 'w']] })
      const names = ['a', 'b', 'c', 'd', 'e', 'f']
      await store.traces.write(names.map((name, index) => of(name, T0 + Math.floor(index / 3))))
      const seen: string[] = []
      let after: { startedAt: number; number: number } | undefined
      for (let page = 0; page < 3; page++) {
        const rows = await store.traces.list(filter, { limit: 2, after })
        seen.push(...rows.map((row) => nameOf(row.traceId)))
        after = rows.at(-1)
        await store.traces.write([of(`new${page}`, T0 + 50 + page)])
      }
      expect(seen).toEqual(['f', 'e', 'd', 'c', 'b', 'a'])
      expect(await store.traces.list(filter, { limit: 2, after })).toEqual([])
    },
  )

  it('are deleted when they are too old, unless a span is newer', async () => {
    await store.traces.write([
      change('old', { subjects: [['workflowId', 'w']] }),
      change('alive', { endedAt: T0 + 5000 }),
      change('new', { startedAt: T0 + 2000, endedAt: T0 + 2001 }),
    ])
    const retention = { before: T0 + 1000, keep: 100 }
    expect(await store.traces.prune(retention, 10)).toBe(1)
    expect(await store.traces.prune(retention, 10)).toBe(0)
    expect(await listed()).toEqual(['new', 'alive'])
    expect(await listed({ workflowId: 'w' })).toEqual([])
    expect(await store.traces.span(spanId(T0 + 2000))).toBeDefined()
    expect(await store.traces.totals()).toEqual({ traces: 2, spans: 2 })
  })

  it('are deleted when there are too many spans, the oldest first and in parts', async () => {
    const many = Array.from({ length: 6 }, (_, index) => spanOf(T0 + index * 2000))
    await store.traces.write([
      change('big', { spans: many }),
      change('next', { startedAt: T0 + 1 }),
      change('last', { startedAt: T0 + 2, spans: [spanOf(T0, 8), spanOf(T0, 9)] }),
    ])
    const retention = { before: 0, keep: 2 }
    expect(await store.traces.prune(retention, 4)).toBe(4)
    expect(await store.traces.get(traceId('big'))).toMatchObject({ spanCount: 2 })
    expect(await store.traces.prune(retention, 4)).toBe(3)
    expect(await store.traces.prune(retention, 4)).toBe(0)
    expect(await listed()).toEqual(['last'])
    expect(await store.traces.totals()).toEqual({ traces: 1, spans: 2 })
  })

  it('are deleted with their last span', async () => {
    const together = Array.from({ length: 4 }, (_, count) => spanOf(T0, count))
    await store.traces.write([change('first', { spans: together }), change('next', { startedAt: T0 + 1 })])
    expect(await store.traces.prune({ before: 0, keep: 3 }, 100)).toBe(4)
    expect(await listed()).toEqual(['next'])
    expect(await store.traces.totals()).toEqual({ traces: 1, spans: 1 })
  })

  it('lose the content of a conversation, and nothing else', async () => {
    const span = (at: number, attributes: object) =>
      spanOf(at, 0, JSON.stringify({ name: 'chat', attributes }))
    const of = (conversation: string, user?: string) => ({
      'gen_ai.conversation.id': conversation,
      ...(user !== undefined && { 'user.id': user }),
    })
    const content = { 'gen_ai.input.messages': 'secret', 'gen_ai.tool.call.result': 'secret' }
    const rest = { 'gen_ai.usage.input_tokens': 3, 'agentserver.step.input': 'kept' }
    const many = Array.from({ length: 70 }, (_, n) =>
      span(T0 + n * 2000, { ...of('talk', 'ann'), ...content, ...rest }),
    )
    await store.traces.write([
      change('one', { spans: [...many, span(T0 + 1, { ...of('talk', 'bob'), ...content })] }),
      change('two', {
        spans: [
          span(T0 + 2, { ...of('talk'), ...content }),
          span(T0 + 3000, { ...of('other', 'ann'), ...content }),
        ],
      }),
      change('not named', { spans: [span(T0 + 4, { ...of('talk', 'ann'), ...content })] }),
    ])
    const ann = { userId: 'ann', conversationId: 'talk' }
    await store.traces.eraseContent([traceId('one'), traceId('two'), traceId('unknown')], {
      executionIds: [],
      conversation: ann,
    })
    const read = async (name: string) =>
      (await store.traces.spans(traceId(name), { limit: 100 })).map(
        ({ data }) => (JSON.parse(data) as { attributes: object }).attributes,
      )
    const bare = { ...of('talk', 'ann'), ...rest }
    expect(await read('one')).toEqual([
      bare,
      { ...of('talk', 'bob'), ...content },
      ...many.slice(1).map(() => bare),
    ])
    expect(await read('two')).toEqual([
      { ...of('talk'), ...content },
      { ...of('other', 'ann'), ...content },
    ])
    await store.traces.eraseContent([traceId('two')], {
      executionIds: [],
      conversation: { ...ann, userId: null },
    })
    expect(await read('two')).toEqual([of('talk'), { ...of('other', 'ann'), ...content }])
    expect(await read('not named')).toEqual([{ ...of('talk', 'ann'), ...content }])
    expect(await store.traces.totals()).toEqual({ traces: 3, spans: 74 })
  })
}
