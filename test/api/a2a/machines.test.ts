import { type StreamResponse, TaskState } from '@a2a-js/sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { streamed } from '../../support/model/model-provider.ts'
import { createDatabase, describeOnPostgres } from '../../support/postgres/test-database.ts'
import type { TestDatabase } from '../../support/postgres/test-database.ts'
import { A2aTestServer, sending } from './a2a-test-server.ts'

describeOnPostgres('tasks of two servers on one Postgres', () => {
  let database: TestDatabase
  let one: A2aTestServer
  let two: A2aTestServer
  beforeAll(async () => {
    database = await createDatabase()
    const config = { database: `${database.url}?schema=tasks` }
    one = new A2aTestServer(config)
    two = new A2aTestServer(config)
    await one.open()
    await two.start()
  })
  afterAll(async () => {
    await two.close()
    await one.close()
    await database.drop()
  })

  it('are found, followed and cancelled on the other server', async () => {
    one.provider.script(streamed(['One', ' two'], 'hang'))
    const client = await one.connect()
    const other = await two.connect()
    const stream = client.sendMessageStream(sending('Count'))
    const first = (await stream.next()).value as StreamResponse
    const id = first.payload?.$case === 'task' ? first.payload.value.id : ''
    await stream.next()
    const task = { tenant: '', id }
    expect((await other.getTask(task)).status?.state).toBe(TaskState.TASK_STATE_WORKING)
    const followed = other.resubscribeTask(task)
    expect((await followed.next()).value).toMatchObject({ payload: { $case: 'task' } })
    const cancelled = await other.cancelTask({ ...task, metadata: {} })
    expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED)
    for (const reader of [stream, followed]) {
      const rest: StreamResponse[] = []
      for await (const update of reader) rest.push(update)
      expect(rest.at(-1)?.payload).toMatchObject({
        $case: 'statusUpdate',
        value: { taskId: id, status: { state: TaskState.TASK_STATE_CANCELED } },
      })
    }
  })
})
