import { ASKED, refundTool } from './approval-tests.ts'
import { expect, it } from 'vitest'
import { approvalId, textOf, toolsOf } from '../../support/chat/chat-page.ts'
import type { StartTalk } from '../../support/chat/talk.ts'
import { HELD, holdingTool } from './answer-tests.ts'

/** Answers of resumable agents, whose page is loaded again or left. */
export function resumeTests(start: StartTalk): void {
  it('shows all of an answer that was in progress when the page was loaded again', async () => {
    const { hold, letGo } = holdingTool()
    const agent = { tools: [hold], resumable: true }
    const { page, model, status } = await start([HELD, 'Thank you', 'Bye'], agent, { resume: true })
    await page.send('Hi')
    await page.shows((state) => toolsOf(state.messages.at(-1))[0]?.state === 'input-available')
    const [question] = (await page.state()).messages
    await page.reload(question && [question])
    const { messages } = await page.shows(
      (state) => toolsOf(state.messages.at(-1))[0]?.state === 'input-available',
    )
    expect([textOf(messages.at(-1)), await status()]).toEqual(['One moment. ', 'running'])
    letGo()
    expect(textOf(await page.answer())).toBe('One moment. Thank you')
    expect([(await page.state()).messages.length, model.calls.length]).toEqual([2, 2])
    expect(textOf(await page.ask('Thanks'))).toBe('Bye')
  })

  it('shows nothing and no error where no answer is in progress', async () => {
    const { page } = await start(['Hello'], { resumable: true }, { resume: true })
    expect(await page.shows((state) => state.status === 'ready')).toMatchObject({ messages: [], error: null })
    const answer = await page.ask('Hi')
    const { messages } = await page.state()
    await page.reload([...messages])
    expect(textOf(answer)).toBe('Hello')
    expect(await page.shows((state) => state.status === 'ready')).toMatchObject({ messages, error: null })
  })

  it('completes an answer whose page was left, which the next page has', async () => {
    const { hold, letGo } = holdingTool()
    const agent = { tools: [hold], resumable: true }
    const { page, stored, status } = await start([HELD, 'Thank you'], agent, { resume: true })
    await page.send('Hi')
    await page.shows((state) => toolsOf(state.messages.at(-1))[0]?.state === 'input-available')
    await page.close()
    letGo()
    await expect.poll(status).toBe('completed')
    const messages = await stored()
    await page.reload(messages)
    expect(textOf(await page.answer())).toBe('One moment. Thank you')
  })

  it('stops an answer on the server', async () => {
    const { hold, letGo } = holdingTool()
    const agent = { tools: [hold], resumable: true }
    const { page, server, status } = await start([HELD, 'Never'], agent, { resume: true })
    await page.send('Hi')
    await page.shows((state) => toolsOf(state.messages.at(-1))[0]?.state === 'input-available')
    await page.act({ type: 'stop' })
    await page.shows((state) => state.status === 'ready')
    expect(await status()).toBe('running')
    const stopped = await server.post('/agents/clerk/chat/talk/stop')
    expect(await stopped.json()).toMatchObject({ data: { stopped: true } })
    await expect.poll(status).toBe('aborted')
    letGo()
  })

  it('resumes the rest of an answer after an approval', async () => {
    const { refund } = refundTool()
    const { hold, letGo } = holdingTool()
    const agent = { tools: [refund, hold], resumable: true }
    const { page } = await start([ASKED, HELD, 'Refunded'], agent, { resume: true })
    await page.send('Refund A')
    const [part] = await page.tools('approval-requested')
    const before = await page.state()
    await page.act({ type: 'respond', id: approvalId(part), approved: true })
    await page.shows((state) => toolsOf(state.messages.at(-1)).at(-1)?.state === 'input-available')
    await page.reload([...before.messages])
    letGo()
    const answer = await page.answer((state) => textOf(state.messages.at(-1)).endsWith('Refunded'))
    expect(toolsOf(answer).map(({ state }) => state)).toEqual(['output-available', 'output-available'])
  })
}
