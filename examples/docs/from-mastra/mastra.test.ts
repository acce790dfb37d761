import {
  createTestRunner,
  scriptedModel,
} from 'agentserver/testing'
import { afterAll, expect, test } from 'vitest'
import { createServer } from 'agentserver/server'
import { summarize } from './calls.ts'
import { janitor, records } from './janitor.ts'
import { mail } from './mail.ts'
import { prices, summary } from './orders.ts'
import report from './report.ts'

const call = { toolName: 'delete-record', input: { id: 'abc-123' } }
const models = {
  janitor: scriptedModel([{ toolCalls: [call] }, 'Deleted.']),
}
const config = {
  workflows: [summary, prices, mail],
  agents: [janitor],
}
const runner = createTestRunner({ config }, { models })
afterAll(() => runner.close())

test('steps run in parallel, for each item and by condition', async () => {
  const { result } = await runner.run(summary, { message: 'hello' })
  expect(result).toEqual({ summary: 'HELLO (5 characters)' })
  expect(
    (await runner.run(prices, { values: [1, 22, 333] })).result,
  ).toBe('High: 386')
  expect((await runner.run(prices, { values: [1] })).result).toBe(
    'Low: 11',
  )
})

test('a mail waits for approval, three days at most', async () => {
  const input = { userEmail: 'alex@example.com' }
  const sent = await (
    await runner.run(mail, input)
  ).resume({ approved: true })
  expect(sent.result).toEqual({
    output: 'Mail sent to alex@example.com',
  })
  const late = await runner.run(mail, input)
  await runner.advance('3d')
  expect((await late.settled()).result).toEqual({
    output: 'Nobody has approved',
  })
})

test('a record is deleted after the approval', async () => {
  const janitor = runner.client.agent('janitor')
  const asked = await janitor.generate('Delete abc-123')
  expect(records.size).toBe(1)
  const [approvalId = ''] = (asked.approvals ?? []).map(
    (one) => one.approvalId,
  )
  await janitor
    .run(asked.id)
    .respond([{ approvalId, approved: true }])
  expect(records.size).toBe(0)
})

test('the schedule is served, and the client reads the stream', async () => {
  const options = { database: ':memory:', port: 0 }
  const server = createServer({
    ...report,
    ...options,
    workflows: [...(report.workflows ?? []), summary],
  })
  const { url } = await server.listen()
  expect(await summarize(url)).toMatchObject({
    result: { summary: 'HELLO WORLD (11 characters)' },
  })
  const { data } = (await (
    await fetch(`${url}/schedules`)
  ).json()) as { data: { id: string }[] }
  expect(data.map(({ id }) => id)).toEqual(['daily-report'])
  await server.close()
})
