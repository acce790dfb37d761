import { createTool } from 'agentserver'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { textOf } from '../../support/chat/chat-page.ts'
import type { StartTalk } from '../../support/chat/talk.ts'

const locate = createTool({
  name: 'locate',
  description: 'Finds the place of the user',
  inputSchema: z.object({}),
  outputSchema: z.object({ city: z.string() }),
})
const SCRIPT = [{ toolCalls: [{ toolName: 'locate', input: {} }] }, 'You are in Berlin']

/** Tools that the page executes. */
export function clientToolTests(start: StartTalk): void {
  it('executes a tool of the page with onToolCall, and the answer goes on', async () => {
    const { page, model } = await start(SCRIPT, { tools: [locate] }, { location: { city: 'Berlin' } })
    await page.send('Where am I?')
    const [part] = await page.tools('output-available')
    expect(part).toMatchObject({ type: 'tool-locate', output: { city: 'Berlin' } })
    await page.answer(({ messages }) => textOf(messages.at(-1)) === 'You are in Berlin')
    expect((await page.state()).messages).toHaveLength(2)
    expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toContain('Berlin')
  })

  it('waits for the output of a tool that a person gives', async () => {
    const { page, status } = await start([...SCRIPT, 'Bye'], { tools: [locate] })
    await page.send('Where am I?')
    const [part] = await page.tools('input-available')
    expect(await status()).toBe('suspended')
    await page.act({ type: 'output', toolCallId: part?.toolCallId ?? '', output: { city: 'Berlin' } })
    await page.answer(({ messages }) => textOf(messages.at(-1)) === 'You are in Berlin')
    expect(textOf(await page.ask('Thanks'))).toBe('Bye')
  })

  it('tells the model that a tool of the page failed', async () => {
    const { page, model } = await start([SCRIPT[0] ?? '', 'I do not know'], { tools: [locate] })
    await page.send('Where am I?')
    const [part] = await page.tools('input-available')
    await page.act({ type: 'output', toolCallId: part?.toolCallId ?? '', errorText: 'No permission' })
    await page.answer(({ messages }) => textOf(messages.at(-1)) === 'I do not know')
    expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toContain('No permission')
  })

  it('refuses an output that does not match the schema of the tool', async () => {
    const { page, status } = await start(SCRIPT, { tools: [locate] }, { location: { town: 'Berlin' } })
    await page.send('Where am I?')
    const { error } = await page.shows((state) => state.status === 'error')
    expect(error).toContain('city')
    expect(await status()).toBe('suspended')
  })
}
