import { Chat } from '@ai-sdk/react'
import { createAgent, createTool } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { DefaultChatTransport, isToolUIPart, type UIMessage } from 'ai'
import { afterAll, expect, it } from 'vitest'
import { z } from 'zod'
import type { StepWait } from '../../src/contract/step-wait.ts'
import { refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const ask = createTool({
  name: 'ask',
  description: 'Asks the user',
  inputSchema: z.object({ question: z.string() }),
  execute: async ({ question }, { step }) => {
    const resumeSchema = z.object({ answer: z.string() })
    const { answer } = await step.suspend('reply', { data: { question }, resumeSchema })
    return answer
  },
})
const model = scriptedModel([
  { text: 'One moment. ', toolCalls: [{ toolName: 'ask', input: { question: 'Where?' } }] },
  'There it is.',
])
const agent = createAgent({
  id: 'clerk',
  name: 'Clerk',
  instructions: 'Help.',
  model,
  tools: [ask],
  resumable: true,
})
const server = new TestServer({ agents: [agent] })
afterAll(() => server.close())

type Message = UIMessage<unknown, { wait: StepWait & { readonly runId: string } }>

it('a chat shows a tool that waits in the middle as a data part, and goes on with its data', async () => {
  const api = 'http://localhost:3141/agents/clerk/chat'
  const send = (input: string | URL | Request, init?: RequestInit) => server.fetch(new Request(input, init))
  const chat = new Chat<Message>({ transport: new DefaultChatTransport({ api, fetch: send }) })
  await chat.sendMessage({ text: 'Find it' })
  expect(chat.error).toBeUndefined()
  const shown = chat.messages.at(-1)
  const part = shown?.parts.find(({ type }) => type === 'data-wait')
  if (part?.type !== 'data-wait') throw new Error('The message has no part for the wait')
  expect(part.data).toMatchObject({
    runId: shown?.id,
    stepId: 'reply',
    reason: 'resume of "reply"',
    data: { question: 'Where?' },
    resumeSchema: { required: ['answer'] },
  })
  const resume = (resumeData: object) => {
    return { runId: part.data.runId, stepId: part.data.path, resumeData }
  }
  const messages = chat.messages.slice(0, -1)
  const wrong = server.post('/agents/clerk/chat', { id: chat.id, messages, resume: resume({ answer: 1 }) })
  expect(await refusalOf(wrong, 400)).toContain('resumeData.answer')
  // the answer is streamed from its start
  chat.messages = messages
  await chat.sendMessage(undefined, { body: { resume: resume({ answer: 'Here' }) } })
  expect(chat.error).toBeUndefined()
  expect(chat.messages).toHaveLength(2)
  const { id, parts = [] } = chat.messages.at(-1) ?? {}
  expect(id).toBe(shown?.id)
  expect(parts.flatMap((one) => (one.type === 'text' ? [one.text] : []))).toEqual([
    'One moment. ',
    'There it is.',
  ])
  expect(parts.filter((one) => isToolUIPart(one))).toMatchObject([
    { state: 'output-available', output: 'Here' },
  ])
  expect(parts.some(({ type }) => type === 'data-wait')).toBe(false)
  expect(model.calls).toHaveLength(2)
})
