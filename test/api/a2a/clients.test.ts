import { type StreamResponse, TaskState } from '@a2a-js/sdk'
import type { Client } from '@a2a-js/sdk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEY } from '../../support/model/model-env.ts'
import { refusal, streamed } from '../../support/model/model-provider.ts'
import { A2aTestServer, sending, taskIn, textFrom, textOf } from './a2a-test-server.ts'

const a2a = new A2aTestServer()
const { provider } = a2a
beforeAll(() => a2a.open())
afterAll(() => a2a.close())

const addCall = { id: 'call_1', name: 'add', input: { a: 2, b: 3 } }

describe.each([
  ['1.0', ''],
  ['0.3', '?A2A-Version=0.3'],
])('a client of version %s', (version, query) => {
  let client: Client
  beforeAll(async () => {
    client = await a2a.connect('ada', query)
  })
  const events = async (request: ReturnType<typeof sending>) => {
    const all: StreamResponse[] = []
    for await (const event of client.sendMessageStream(request)) all.push(event)
    return all
  }

  it('learns the version from the card', () => {
    expect(client.protocolVersion).toBe(version)
  })

  it('receives a completed task', async () => {
    provider.script(streamed(['Five', ' of them']))
    const task = taskIn(await client.sendMessage(sending('How many?', { messageId: 'mine' })))
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
    expect(textOf(task)).toBe('Five of them')
    expect(task.history.map(({ messageId }) => messageId)).toEqual(['mine'])
    expect(task.metadata).toMatchObject({ model: 'openai/gpt-4.1-mini', usage: { totalTokens: 17 } })
    expect(provider.shown()).toEqual([{ role: 'user', content: 'How many?' }])
  })

  it('streams the answer with tool calls, and the last text replaces the first', async () => {
    provider.script(streamed([addCall]), streamed(['The sum', ' is 5']))
    const all = await events(sending('2 and 3?'))
    expect(all[0]?.payload).toMatchObject({
      $case: 'task',
      value: { status: { state: TaskState.TASK_STATE_WORKING } },
    })
    expect(all.filter(({ payload }) => payload?.$case === 'artifactUpdate').length).toBeGreaterThan(2)
    expect(textFrom(all)).toBe('The sum is 5')
    expect(all.at(-1)?.payload).toMatchObject({
      $case: 'statusUpdate',
      value: { status: { state: TaskState.TASK_STATE_COMPLETED } },
    })
    expect(JSON.stringify(provider.shown())).toContain('{\\"sum\\":5}')
  })

  it('continues a conversation by its context, which belongs to one user', async () => {
    provider.script(streamed(['Hello Ada']))
    const { contextId } = taskIn(await client.sendMessage(sending('I am Ada')))
    const next = taskIn(await client.sendMessage(sending('Who am I?', { contextId })))
    expect(next.contextId).toBe(contextId)
    expect(provider.shown().map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    const other = await a2a.connect('bob', query)
    await other.sendMessage(sending('Who am I?', { contextId }))
    expect(provider.shown()).toHaveLength(1)
  })

  it('reads its own task again, and no other user can', async () => {
    provider.script(streamed(['Yes']))
    const { id } = taskIn(await client.sendMessage(sending('Is it?')))
    const task = await client.getTask({ tenant: '', id })
    expect(textOf(task)).toBe('Yes')
    expect((await client.getTask({ tenant: '', id, historyLength: 0 })).history).toEqual([])
    for (const user of ['bob', 'nobody']) {
      const other = await a2a.connect(user, query)
      await expect(other.getTask({ tenant: '', id })).rejects.toThrow('Task not found')
      await expect(other.cancelTask({ tenant: '', id, metadata: {} })).rejects.toThrow('Task not found')
    }
  })

  it('cancels a running task, which aborts the model call', async () => {
    provider.script(streamed(['Well'], 'hang'))
    const called = provider.nextCall()
    const started = taskIn(await client.sendMessage(sending('Think', {}, { returnImmediately: true })))
    expect(started.status?.state).toBe(TaskState.TASK_STATE_WORKING)
    const { left } = await called
    const other = await a2a.connect('bob', query)
    await expect(other.cancelTask({ tenant: '', id: started.id, metadata: {} })).rejects.toThrow('not found')
    await expect(other.resubscribeTask({ tenant: '', id: started.id }).next()).rejects.toThrow('not found')
    const cancelled = await client.cancelTask({ tenant: '', id: started.id, metadata: {} })
    expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED)
    await left
    const again = await client.cancelTask({ tenant: '', id: started.id, metadata: {} })
    expect(again.status?.state).toBe(TaskState.TASK_STATE_CANCELED)
  })

  it('cannot cancel, continue or subscribe to a completed task', async () => {
    provider.script(streamed(['Done']))
    const { id } = taskIn(await client.sendMessage(sending('Do it')))
    await expect(client.cancelTask({ tenant: '', id, metadata: {} })).rejects.toThrow('has ended')
    await expect(client.sendMessage(sending('More', { taskId: id }))).rejects.toThrow('without taskId')
    await expect(client.resubscribeTask({ tenant: '', id }).next()).rejects.toThrow('cannot be subscribed to')
  })

  it('resubscribes to a task, which is independent of its subscribers', async () => {
    provider.script(streamed(['One', ' two'], 'hang'))
    const stream = client.sendMessageStream(sending('Count'))
    const first = (await stream.next()).value as StreamResponse
    const id = first.payload?.$case === 'task' ? first.payload.value.id : ''
    await stream.next()
    await stream.return(undefined)
    const followed = client.resubscribeTask({ tenant: '', id })
    const snapshot = (await followed.next()).value as StreamResponse
    expect(snapshot.payload).toMatchObject({
      $case: 'task',
      value: { id, status: { state: TaskState.TASK_STATE_WORKING } },
    })
    const ended = (async () => {
      let last: StreamResponse | undefined
      for await (const event of followed) last = event
      return last
    })()
    await client.cancelTask({ tenant: '', id, metadata: {} })
    expect((await ended)?.payload).toMatchObject({
      $case: 'statusUpdate',
      value: { status: { state: TaskState.TASK_STATE_CANCELED } },
    })
  })

  it('receives the reason of a failed task, without keys', async () => {
    provider.script(refusal(401, `Incorrect API key provided: ${KEY}`))
    const task = taskIn(await client.sendMessage(sending('Hello')))
    expect(task.status?.state).toBe(TaskState.TASK_STATE_FAILED)
    const errorText =
      'openai rejected the key in OPENAI_API_KEY (401): Incorrect API key provided: [redacted]'
    expect(task.status?.message?.parts[0]?.content?.value).toBe(errorText)
    const read = await client.getTask({ tenant: '', id: task.id })
    expect(JSON.stringify(read)).toContain(errorText)
    expect(JSON.stringify([task, read])).not.toContain(KEY)
    const all = await events(sending('Hello'))
    expect(JSON.stringify(all.at(-1))).toContain(errorText)
  })

  it('sends data and files', async () => {
    provider.script(streamed(['Seen']))
    const png = Buffer.from('a picture').toString('base64')
    const parts = [{ text: 'Look' }, { data: { a: 1 } }, { raw: png, mediaType: 'image/png' }]
    const task = taskIn(await client.sendMessage(sending('', { parts })))
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
    const shown = JSON.stringify(provider.shown())
    expect(shown).toContain('{\\"a\\":1}')
    expect(shown).toContain(png)
    const [, , file] = task.history[0]?.parts ?? []
    expect(file?.content?.$case === 'raw' && file.content.value.toString()).toBe('a picture')
  })

  it('is refused push notifications and output that is not text', async () => {
    const push = { taskPushNotificationConfig: { url: 'https://example.com' } }
    await expect(client.sendMessage(sending('x', {}, push))).rejects.toThrow(/push notification/i)
    const modes = { acceptedOutputModes: ['image/png'] }
    await expect(client.sendMessage(sending('x', {}, modes))).rejects.toThrow('only returns text/plain')
  })
})

describe('a client of version 1.0', () => {
  it('lists its own tasks, newest first, by page', async () => {
    provider.script(streamed(['Yes']), streamed(['Yes']), refusal(400, 'no'))
    const client = await a2a.connect('lister')
    const ids: string[] = []
    for (const text of ['a', 'b', 'c'])
      ids.unshift(taskIn(await client.sendMessage(sending(text, { contextId: text }))).id)
    const list = (more: object) =>
      client.listTasks({
        tenant: '',
        contextId: '',
        status: TaskState.TASK_STATE_UNSPECIFIED,
        pageToken: '',
        statusTimestampAfter: undefined,
        ...more,
      })
    const found = async (more: object) => (await list(more)).tasks.map(({ id }) => id)
    const first = await list({ pageSize: 2 })
    expect([first.totalSize, first.tasks.map(({ id }) => id)]).toEqual([3, ids.slice(0, 2)])
    expect(await found({ pageToken: first.nextPageToken })).toEqual(ids.slice(2))
    expect(await found({ contextId: 'b' })).toEqual(ids.slice(1, 2))
    expect(await found({ status: TaskState.TASK_STATE_FAILED })).toEqual(ids.slice(0, 1))
    expect(await found({ status: TaskState.TASK_STATE_REJECTED })).toEqual([])
    expect(await found({ statusTimestampAfter: '2000-01-01T00:00:00Z' })).toEqual(ids)
    expect(await found({ statusTimestampAfter: '2100-01-01T00:00:00Z' })).toEqual([])
    expect(first.tasks.map(({ artifacts }) => artifacts)).toEqual([[], []])
    expect((await list({ includeArtifacts: true })).tasks.map((task) => textOf(task))).toEqual([
      '',
      'Yes',
      'Yes',
    ])
    const other = await a2a.connect('nobody')
    expect(
      (await other.listTasks({ ...first, contextId: '', pageToken: '', status: 0 } as never)).tasks,
    ).toEqual([])
    await expect(list({ pageSize: 101 })).rejects.toThrow('params.pageSize')
    await expect(list({ pageToken: 'x' })).rejects.toThrow('params.pageToken')
  })

  it('that disconnects does not abort its task', async () => {
    provider.script(streamed(['Slow']))
    const client = await a2a.connect('leaver')
    const abort = new AbortController()
    const response = client.sendMessage(sending('x', { contextId: 'left' }), { signal: abort.signal })
    await provider.nextCall()
    abort.abort()
    await expect(response).rejects.toThrow('aborted')
    await expect
      .poll(async () => {
        const { tasks } = await client.listTasks({ contextId: 'left', pageToken: '', status: 0 } as never)
        return tasks[0]?.status?.state
      })
      .toBe(TaskState.TASK_STATE_COMPLETED)
  })
})
