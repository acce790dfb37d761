import { type SendMessageRequest, TaskState } from '@a2a-js/sdk'
import { createAgent, createTool } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { A2aTestServer, sending, taskIn, textOf } from './a2a-test-server.ts'

const ask = createTool({
  name: 'ask',
  description: 'Asks',
  inputSchema: z.object({ question: z.string() }),
  execute: async ({ question }, { step }) => {
    const resumeSchema = z.object({ answer: z.string() })
    return (await step.suspend('reply', { data: { question }, resumeSchema })).answer
  },
})
const agent = createAgent({
  id: 'helper',
  name: 'Helper',
  instructions: 'x',
  tools: [ask],
  resumable: true,
  model: scriptedModel(
    [
      ({ prompt }) =>
        prompt.at(-1)?.role === 'tool'
          ? 'All done'
          : { text: 'Well. ', toolCalls: [{ toolName: 'ask', input: { question: 'Where?' } }] },
    ],
    { repeatLast: true },
  ),
})
const a2a = new A2aTestServer({ agents: [agent] })
beforeAll(() => a2a.open())
afterAll(() => a2a.close())

interface Request {
  readonly waits?: readonly { readonly path: string }[]
}

/** A message to a task with one data part. */
function responding(taskId: string, value: unknown): SendMessageRequest {
  const request = sending('', { taskId })
  const content = { $case: 'data' as const, value }
  if (request.message) request.message.parts = [{ content, metadata: undefined, filename: '', mediaType: '' }]
  return request
}

it('a task whose tool waits in the middle requires input with its schema, and goes on with the data', async () => {
  const client = await a2a.connect()
  const asked = taskIn(await client.sendMessage(sending('Find it')))
  expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED)
  const request = asked.status?.message?.parts[0]?.content?.value as Request | undefined
  const { waits = [] } = request ?? {}
  const [wait] = waits
  expect(wait).toMatchObject({
    stepId: 'reply',
    data: { question: 'Where?' },
    resumeSchema: { required: ['answer'] },
  })
  const stored = await client.getTask({ tenant: '', id: asked.id })
  expect(stored.status).toMatchObject({ state: TaskState.TASK_STATE_INPUT_REQUIRED })
  expect(stored.status?.message?.parts[0]?.content?.value).toMatchObject({ waits })
  await expect(client.sendMessage(sending('Here', { taskId: asked.id }))).rejects.toThrow(
    `waits for ${wait?.path}; send a data part { stepId, resumeData }`,
  )
  await expect(client.sendMessage(responding(asked.id, { resumeData: { answer: 1 } }))).rejects.toThrow(
    'resumeData.answer',
  )
  const data = { stepId: wait?.path, resumeData: { answer: 'Here' } }
  const done = taskIn(await client.sendMessage(responding(asked.id, data)))
  expect(done.id).toBe(asked.id)
  expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
  expect(textOf(done)).toContain('All done')
})

it('a streamed task that waits in the middle says so in its last update', async () => {
  const client = await a2a.connect()
  const states: unknown[] = []
  for await (const { payload } of client.sendMessageStream(sending('Find it')))
    if (payload?.$case === 'statusUpdate') states.push(payload.value.status)
  expect(states).toMatchObject([{ state: TaskState.TASK_STATE_INPUT_REQUIRED }])
  expect(JSON.stringify(states)).toContain('"question":"Where?"')
})
