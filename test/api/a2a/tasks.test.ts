import { TaskState } from '@a2a-js/sdk'
import { createAgent, demoModel } from 'agentserver'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LiveTask } from '../../../src/a2a/live-task.ts'
import type { TaskUpdate } from '../../../src/a2a/live-task.ts'
import { LiveTasks } from '../../../src/a2a/live-tasks.ts'
import type { TaskPart } from '../../../src/a2a/task-format.ts'
import type { Agents } from '../../../src/engine/agents/agents.ts'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import { openStore } from '../../../src/store/open.ts'
import { refusal, streamed } from '../../support/model/model-provider.ts'
import { agentRunRow } from '../../suites/store/agent-run-rows.ts'
import { A2aTestServer, sending, taskIn, textOf } from './a2a-test-server.ts'

const clock = { now: () => 1000 }
const logger = pino({ enabled: false })

describe('recorded tasks', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'a2a-'))
  const a2a = new A2aTestServer({ database: 'file:data.db' }, { root })
  const { provider } = a2a
  beforeAll(() => a2a.open())
  afterAll(async () => {
    await a2a.close()
    rmSync(root, { recursive: true })
  })

  it('survive a restart', async () => {
    provider.script(streamed(['Yes']), refusal(401, 'no'))
    const client = await a2a.connect()
    const done = taskIn(await client.sendMessage(sending('Is it?', { messageId: 'mine' })))
    const failed = taskIn(await client.sendMessage(sending('And now?')))
    await a2a.server.close()
    await a2a.start()
    const next = await a2a.connect()
    const read = (id: string) => next.getTask({ tenant: '', id })
    expect(textOf(await read(done.id))).toBe('Yes')
    expect((await read(done.id)).history[0]).toMatchObject({ messageId: 'mine', contextId: done.contextId })
    expect((await read(failed.id)).status).toMatchObject({ state: TaskState.TASK_STATE_FAILED })
  })

  it('that a crash interrupted are failed, with the reason', async () => {
    await a2a.server.close()
    const store = await openStore({ url: 'file:data.db', root })
    await store.agentRuns.insert(
      agentRunRow({ id: 'cut-short', ownerEpoch: store.ownerEpoch, userId: 'ada' }),
    )
    await store.close()
    await a2a.start()
    const { status } = await (await a2a.connect()).getTask({ tenant: '', id: 'cut-short' })
    expect(status?.state).toBe(TaskState.TASK_STATE_FAILED)
    expect(status?.message?.parts[0]?.content?.value).toContain('The server stopped before')
  })

  it('are runs in the history of the agent', async () => {
    provider.script(streamed(['Yes']))
    const { id, contextId } = taskIn(await (await a2a.connect()).sendMessage(sending('On record?')))
    const headers = { 'x-service-dev': 'true' }
    const { data } = (await (
      await a2a.server.request('/agents/helper/history?limit=1', { headers })
    ).json()) as {
      data: unknown[]
    }
    expect(data[0]).toMatchObject({
      id,
      conversationId: contextId,
      userId: 'ada',
      status: 'completed',
      output: 'Yes',
    })
  })

  it('that were started over another route can be read', async () => {
    provider.script(streamed(['Yes']))
    const headers = { authorization: 'Bearer ada' }
    const sent = await a2a.server.post('/agents/helper/stream', { input: 'Hello' }, headers)
    await sent.text()
    const client = await a2a.connect()
    const { tasks } = await client.listTasks({
      contextId: '',
      pageToken: '',
      status: 0,
      pageSize: 1,
    } as never)
    expect(tasks[0]?.history[0]?.parts[0]?.content?.value).toBe('Hello')
  })
})

describe('a task with an internal error', () => {
  const doStream = () => Promise.reject(new Error('the password is hunter2'))
  const model = { ...demoModel(), specificationVersion: 'v3', doStream } as ReturnType<typeof demoModel>
  const broken = createAgent({ id: 'helper', name: 'Broken', instructions: 'x', model })
  const a2a = new A2aTestServer({ agents: [broken] })
  beforeAll(() => a2a.open())
  afterAll(() => a2a.close())

  it('has a public message, and the log has the error', async () => {
    const client = await a2a.connect()
    const task = taskIn(await client.sendMessage(sending('Hello')))
    const read = await client.getTask({ tenant: '', id: task.id })
    for (const { status } of [task, read]) {
      expect(status?.state).toBe(TaskState.TASK_STATE_FAILED)
      expect(status?.message?.parts[0]?.content?.value).toBe('Agent execution failed')
    }
    expect(JSON.stringify([task, read])).not.toContain('hunter2')
    expect(a2a.server.logs).toMatchObject([{ err: { message: 'the password is hunter2' } }])
  })
})

describe('a running task', () => {
  const textPart = (text: string, append = true): TaskPart => ({ type: 'text', chunk: { text, append } })
  const end = (text: string): TaskPart => ({ type: 'ended', end: { state: 'completed', text } })
  const collect = async (news: AsyncGenerator<TaskUpdate>) => {
    const texts: string[] = []
    for await (const one of news)
      if (one.type === 'text') texts.push((one.chunk.append ? '+' : '=') + one.chunk.text)
    return texts
  }

  it('sends the same updates to all subscribers, however late they subscribe', async () => {
    const task = new LiveTask('t')
    const early = collect(task.replay())
    task.add(textPart('a', false), 1)
    const late = collect(task.follow())
    task.add(textPart('b'), 1)
    task.add(end('ab'), 1)
    expect(await early).toEqual(['=a', '+b', '+'])
    expect(await late).toEqual(['+b', '+'])
    expect(await collect(task.replay())).toEqual(['=a', '+b', '+'])
    expect(await collect(task.follow())).toEqual([])
  })

  it('ends with the recorded answer, even when the model replaced its text', async () => {
    const task = new LiveTask('t')
    task.add(textPart('Let me look', false), 1)
    task.add(end(''), 1)
    expect(await collect(task.replay())).toEqual(['=Let me look', '='])
    expect(task.text).toBe('')
  })

  it('counts towards a limit', async () => {
    const hold = createDeferred<void>()
    const agents = {
      stream: async function* (id: string) {
        yield { type: 'started', run: { id, traceId: 't' } }
        await hold.promise
        yield end('')
      },
    }
    const tasks = new LiveTasks({ clock, logger, maxTasks: 1 })
    const start = (id: string) =>
      tasks.start(
        { stream: (agentId: string) => Promise.resolve(agents.stream(agentId)) } as unknown as Agents,
        id,
        { input: 'x' },
      )
    const first = await start('a')
    await expect(start('b')).rejects.toThrow('The limit of 1 running tasks is reached')
    hold.resolve()
    await first.ended
    expect(tasks.get('a')).toBeUndefined()
    expect((await start('c')).id).toBe('c')
  })
})
