import { createTool } from 'agentserver'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import { textOf, toolsOf } from '../../support/chat/chat-page.ts'
import type { StartTalk } from '../../support/chat/talk.ts'
import { add } from '../../support/server/sample-tools.ts'

/** A tool that holds the answer until it is let go. */
export function holdingTool() {
  const gate = createDeferred<void>()
  const hold = createTool({
    name: 'hold',
    description: 'Waits',
    inputSchema: z.object({}),
    execute: async () => {
      await gate.promise
      return 'held'
    },
  })
  return { hold, letGo: () => gate.resolve() }
}

export const HELD = { text: 'One moment. ', toolCalls: [{ toolName: 'hold', input: {} }] }

/** Answers of an agent without people in between: send, stream, tools, stop, regenerate, errors. */
export function answerTests(start: StartTalk): void {
  it('shows the answer, and continues the conversation', async () => {
    const { page, model } = await start(['Hello Ann', 'You are Ann'])
    expect(textOf(await page.ask('I am Ann'))).toBe('Hello Ann')
    const answer = await page.ask('Who am I?')
    expect(textOf(answer)).toBe('You are Ann')
    expect(model.calls[1]?.prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
    const { messages, error, finished } = await page.state()
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    expect([error, finished]).toEqual([null, ['stop', 'stop']])
    expect(answer.metadata).toMatchObject({ usage: { totalTokens: expect.any(Number) } })
  })

  it('shows an answer while it streams', async () => {
    const { hold, letGo } = holdingTool()
    const { page } = await start([HELD, 'Thank you'], { tools: [hold] })
    await page.send('Hi')
    const { messages } = await page.shows(
      (state) => state.status === 'streaming' && textOf(state.messages.at(-1)) === 'One moment. ',
    )
    expect(messages).toHaveLength(2)
    await page.shows((state) => toolsOf(state.messages.at(-1))[0]?.state === 'input-available')
    letGo()
    expect(textOf(await page.answer())).toBe('One moment. Thank you')
  })

  it('shows reasoning, and sends it back with the next message', async () => {
    const { page } = await start([{ reasoning: 'Hm', text: 'Yes' }, 'Sure'])
    const answer = await page.ask('Really?')
    expect(answer.parts.map(({ type }) => type)).toEqual(['step-start', 'reasoning', 'text'])
    expect(textOf(await page.ask('Really really?'))).toBe('Sure')
  })

  it('shows tool calls with their outputs, and sends them back with the next message', async () => {
    const call = { toolCalls: [{ toolName: 'add', input: { a: 2, b: 3 } }] }
    const { page, model } = await start([call, 'It is 5', 'Sure'], { tools: [add] })
    const answer = await page.ask('2 and 3?')
    expect(toolsOf(answer)).toMatchObject([
      { type: 'tool-add', state: 'output-available', input: { a: 2, b: 3 }, output: { sum: 5 } },
    ])
    expect(textOf(answer)).toBe('It is 5')
    expect(textOf(await page.ask('Sure?'))).toBe('Sure')
    const roles = model.calls[2]?.prompt.map(({ role }) => role)
    expect(roles).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user'])
  })

  it('shows the error of a tool, after which the answer goes on', async () => {
    const fails = createTool({
      name: 'fails',
      description: 'Fails',
      inputSchema: z.object({}),
      execute: () => {
        throw new Error('Out of order')
      },
    })
    const script = [{ toolCalls: [{ toolName: 'fails', input: {} }] }, 'I could not']
    const { page } = await start(script, { tools: [fails] })
    const answer = await page.ask('Try')
    expect(toolsOf(answer)).toMatchObject([{ state: 'output-error', errorText: expect.any(String) }])
    expect(textOf(answer)).toBe('I could not')
  })

  it('stops an answer, of which the page keeps what it has', async () => {
    const { hold, letGo } = holdingTool()
    const { page, status } = await start([HELD, 'Never', 'Again'], { tools: [hold] })
    await page.send('Hi')
    await page.shows((state) => toolsOf(state.messages.at(-1))[0]?.state === 'input-available')
    await page.act({ type: 'stop' })
    const { messages, error } = await page.shows((state) => state.status === 'ready')
    expect([textOf(messages.at(-1)), error]).toEqual(['One moment. ', null])
    await expect.poll(status).toBe('aborted')
    letGo()
  })

  it('regenerates an answer, which replaces the one before', async () => {
    const { page, stored } = await start(['First', 'Second', 'Third'])
    await page.ask('Say something')
    await page.act({ type: 'regenerate' })
    await page.answer(({ messages }) => textOf(messages.at(-1)) === 'Second')
    expect((await page.state()).messages).toHaveLength(2)
    await page.ask('More')
    expect((await stored()).map((message) => textOf(message))).toEqual([
      'Say something',
      'Second',
      'More',
      'Third',
    ])
  })

  it('shows the error of an answer, and tries it again', async () => {
    const { page, status } = await start([{ text: 'Half', error: new Error('The model is down') }, 'Whole'])
    await page.send('Hi')
    const { error } = await page.shows((state) => state.status === 'error')
    expect(error).not.toBe('')
    expect(await status()).toBe('error')
    await page.act({ type: 'regenerate' })
    const answer = await page.answer(({ messages }) => textOf(messages.at(-1)) === 'Whole')
    expect(textOf(answer)).toBe('Whole')
    expect((await page.state()).error).toBeNull()
  })

  it('shows why a request is refused', async () => {
    const { page } = await start([], {}, { id: 'x'.repeat(300) })
    await page.send('Hi')
    const { error } = await page.shows((state) => state.status === 'error')
    expect(error).toContain('id')
  })

  it('continues with the stored messages of a conversation', async () => {
    const call = { toolCalls: [{ toolName: 'add', input: { a: 2, b: 3 } }] }
    const { page, model, stored } = await start([call, 'It is 5', 'Still 5'], { tools: [add] })
    await page.ask('2 and 3?')
    const messages = await stored()
    await page.reload(messages)
    expect((await page.shows((state) => state.status === 'ready')).messages).toEqual(messages)
    expect(textOf(await page.ask('Sure?'))).toBe('Still 5')
    const roles = model.calls[2]?.prompt.map(({ role }) => role)
    expect(roles).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user'])
  })
}
