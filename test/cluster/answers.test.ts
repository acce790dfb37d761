import { expect, it } from 'vitest'
import type { Machine } from '../support/cluster/machine.ts'
import { CLUSTER_FILES } from '../support/cluster/cluster-files.ts'
import { describeOnPostgres } from '../support/postgres/test-database.ts'
import { until } from '../support/until.ts'
import { clusterOfTest, upTo } from './cluster-tests.ts'

const TOOLS = 5

/** An agent that calls five tools one after the other. Each notes its begin and end; that of `long-…` takes a minute. */
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
    const work = createTool({
      name: 'work',
      description: 'Works',
      inputSchema: z.object({ chat: z.string(), n: z.number() }),
      execute: async ({ chat, n }) => {
        note('begin', chat, 'tool' + n)
        await wait(chat.startsWith('long') && n === 3 ? 60_000 : 200)
        note('end', chat, 'tool' + n)
        return { n }
      },
    })
    const model = scriptedModel([({ prompt }) => {
      const chat = prompt.find(({ role }) => role === 'user').content[0].text
      const n = prompt.filter(({ role }) => role === 'tool').length + 1
      note('begin', chat, 'model' + n)
      return n > ${TOOLS} ? 'Done.' : { text: 'Step ' + n + '. ', toolCalls: [{ toolName: 'work', input: { chat, n } }] }
    }], { repeatLast: true })
    export default defineConfig({
      agents: [createAgent({ id: 'kept', name: 'Kept', instructions: 'x', model, tools: [work], resumable: true })],
    })
  `,
}

const CALLS = [...upTo(TOOLS).flatMap((n) => [`model${n}`, `tool${n}`]), `model${TOOLS + 1}`]

describeOnPostgres('a resumable answer on several machines', () => {
  const test = clusterOfTest()
  const machines = () =>
    Promise.all(['a', 'b'].map((name) => test.cluster.startOne(name, { files: AGENT_FILES })))
  const begun = (chat: string) => test.cluster.notes.begun([chat]).map(({ step }) => step)
  const reached = (chat: string, step: string) =>
    until(() => begun(chat).includes(step), `${step} of ${chat}`)

  it('is read on another machine from its start, and is stopped from there', async () => {
    const [a, b] = await machines()
    await start(a!, 'read')
    await reached('read', 'tool2')
    const [one, other = []] = await Promise.all(
      [a!, b!].map(async (machine) => chunksOf(await opened(machine, 'read'))),
    )
    expect(other).toEqual(one)
    expect(other.map(({ type }) => type).slice(0, 3)).toEqual(['start', 'start-step', 'text-start'])
    expect(other.at(-1)).toMatchObject({ type: 'finish' })
    expect(begun('read')).toEqual(CALLS)
    expect((await fetch(new URL('/agents/kept/chat/read/stream', b!.server.url))).status).toBe(204)

    await start(a!, 'long-stopped')
    await reached('long-stopped', 'tool3')
    const reading = await opened(a!, 'long-stopped')
    expect((await b!.server.post('/agents/kept/chat/long-stopped/stop', {})).data).toEqual({ stopped: true })
    expect((await chunksOf(reading)).at(-1)).toEqual({ type: 'abort' })
    expect((await b!.server.post('/agents/kept/chat/long-stopped/stop', {})).data).toEqual({ stopped: false })
    expect(await statuses(b!)).toEqual(['aborted', 'completed'])
  })

  it('continues on another machine after kill -9, with no recorded call made again', async () => {
    const [a, b] = await machines()
    const chats = upTo(5).map((n) => `chat${n}`)
    await Promise.all(chats.map((chat) => start(a!, chat)))
    await Promise.all(chats.map((chat, index) => reached(chat, `tool${index + 1}`)))
    const before = new Map(chats.map((chat) => [chat, begun(chat)]))
    await a!.kill()
    await until(async () => (await statuses(b!)).every((status) => status === 'completed'), 'all answers')
    for (const chat of chats) {
      const calls = begun(chat)
      // at most the one in progress is repeated
      const inProgress = before.get(chat)?.at(-1)
      const repeated = calls.filter((call, index) => calls.indexOf(call) !== index)
      expect(repeated.length).toBeLessThanOrEqual(1)
      expect([[], [inProgress], [CALLS[CALLS.indexOf(inProgress ?? '') + 1]]]).toContainEqual(repeated)
      expect(CALLS.filter((call) => calls.includes(call))).toEqual(CALLS)
    }
  })

  it('continues on another machine when its own one stops and does not wait for it any longer', async () => {
    const [a, b] = await machines()
    await start(a!, 'long-answer')
    await reached('long-answer', 'tool3')
    // not the method of the server, which kills it after 5 s
    process.kill(a!.server.pid, 'SIGTERM')
    expect((await a!.server.ended()).exitCode).toBe(0)
    await until(() => begun('long-answer').filter((step) => step === 'tool3').length === 2, 'the tool on b')
    const reading = await opened(b!, 'long-answer')
    expect((await b!.server.post('/agents/kept/chat/long-answer/stop', {})).data).toEqual({ stopped: true })
    expect((await chunksOf(reading)).at(-1)).toEqual({ type: 'abort' })
    expect(begun('long-answer')).toEqual(['model1', 'tool1', 'model2', 'tool2', 'model3', 'tool3', 'tool3'])
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
  expect(response.status).toBe(200)
  leaving.abort()
}

/** The answer in progress, from its start. */
async function opened({ server }: Machine, chat: string): Promise<Response> {
  const response = await fetch(new URL(`/agents/kept/chat/${chat}/stream`, server.url))
  expect(response.status).toBe(200)
  return response
}

async function chunksOf(response: Response): Promise<{ readonly type: string }[]> {
  const data = [...(await response.text()).matchAll(/^data: (\{.*\})$/gm)].map(([, json = '']) => json)
  return data.map((json) => JSON.parse(json) as { type: string })
}

async function statuses({ server }: Machine): Promise<string[]> {
  const { data } = (await server.get('/agents/kept/history')) as { data: { status: string }[] }
  return data.map(({ status }) => status)
}
