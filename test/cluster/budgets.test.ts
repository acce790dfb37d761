import { expect, it } from 'vitest'
import { CLUSTER_FILES } from '../support/cluster/cluster-files.ts'
import type { Machine } from '../support/cluster/machine.ts'
import { describeOnPostgres } from '../support/postgres/test-database.ts'
import { until } from '../support/until.ts'
import { clusterOfTest, upTo } from './cluster-tests.ts'

/** What each call uses. It is estimated at more than 1,000. */
const TOKENS = 1000
const LIMIT = 100_000
const ANSWERS = 64

/** An agent whose answers make three model calls of 200 ms. Each notes its begin and end. */
const AGENT_FILES = {
  ...CLUSTER_FILES,
  'agentserver.config.ts': `
    import fs from 'node:fs'
    import { setTimeout as wait } from 'node:timers/promises'
    import { createAgent, createTool, defineConfig } from 'agentserver'
    import { scriptedModel } from 'agentserver/testing'
    import { z } from 'zod'

    const note = (what, chat, step) => {
      const at = performance.timeOrigin + performance.now()
      fs.appendFileSync(process.env.NOTES, [at, process.env.MACHINE, what, chat, step, 1].join(' ') + '\\n')
    }
    const look = createTool({ name: 'look', description: 'x', inputSchema: z.object({}), execute: () => 'seen' })
    const usage = { inputTokens: ${TOKENS - 10}, outputTokens: 10 }
    const scripted = scriptedModel([({ prompt }) => {
      const n = prompt.filter(({ role }) => role === 'tool').length + 1
      return n === 3 ? { text: 'Done.', usage } : { toolCalls: [{ toolName: 'look', input: {} }], usage }
    }], { repeatLast: true })
    const model = {
      ...scripted,
      doStream: async (call) => {
        const chat = call.prompt.find(({ role }) => role === 'user').content[0].text
        const model = 'model' + call.prompt.filter(({ role }) => role === 'tool').length
        note('begin', chat, model)
        await wait(200)
        const streamed = await scripted.doStream(call)
        const end = new TransformStream({ transform: (part, controller) => {
          if (part.type === 'finish') note('end', chat, model)
          controller.enqueue(part)
        } })
        return { ...streamed, stream: streamed.stream.pipeThrough(end) }
      },
    }
    export default defineConfig({
      agents: [createAgent({ id: 'kept', name: 'Kept', instructions: 'x', model, tools: [look], resumable: true })],
      budgets: [{ per: 'project', tokens: ${LIMIT}, every: '24h' }],
    })
  `,
}

describeOnPostgres('a budget on several machines', () => {
  const test = clusterOfTest()

  it('is exceeded by no more than the calls that kill -9 cut off', async () => {
    const { cluster, database } = test
    const machines: Machine[] = []
    for (const name of ['a', 'b', 'c']) machines.push(await cluster.startOne(name, { files: AGENT_FILES }))
    const [a, b] = machines as [Machine, Machine]
    const chats = upTo(ANSWERS).map((n) => `chat${n}`)
    const starting = Promise.allSettled(chats.map((chat, index) => start(machines[index % 3]!, chat)))
    const notes = () => cluster.notes.all()
    const ofA = (what: string) => notes().filter((note) => note.machine === 'a' && note.what === what).length
    await until(() => ofA('end') > 3 && ofA('begin') > ofA('end'), 'calls on a')
    await a.kill()
    await starting
    await until(async () => (await statuses(b)).every((status) => status !== 'running'), 'all answers')

    const begun = notes().filter(({ what }) => what === 'begin')
    const calls = new Map<string, string[]>()
    for (const { executionId: chat, step, machine } of begun)
      calls.set(`${chat} ${step}`, [...(calls.get(`${chat} ${step}`) ?? []), machine])
    const repeated = [...calls].filter(([, by]) => by.length > 1)
    expect(repeated.filter(([, by]) => by.length > 2 || by[0] !== 'a')).toEqual([])
    // one of each answer at most
    expect(new Set(repeated.map(([call]) => call.split(' ')[0])).size).toBe(repeated.length)
    expect(calls.size * TOKENS).toBeLessThanOrEqual(LIMIT)
    // what was left was not enough for another call
    const [used] = await database.query<{ tokens: number }>(
      'SELECT sum(tokens)::int AS tokens FROM cluster.budget_hours',
    )
    expect(used?.tokens).toBeLessThanOrEqual(LIMIT)
    expect(used?.tokens).toBeGreaterThan(LIMIT - 2 * TOKENS)
    expect((await statuses(b)).toSorted()[0]).toBe('completed')
    expect(await statuses(b)).toContain('error')
  })
})

/** Starts an answer, and leaves. */
async function start({ server }: Machine, chat: string): Promise<void> {
  const leaving = new AbortController()
  const response = await fetch(new URL('/agents/kept/chat', server.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      id: chat,
      messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: chat }] }],
    }),
    signal: leaving.signal,
  })
  expect([200, 429]).toContain(response.status)
  leaving.abort()
}

async function statuses({ server }: Machine): Promise<string[]> {
  const { data } = await server.get('/agents/kept/history?limit=100')
  return (data as { status: string }[]).map(({ status }) => status)
}
