import { redactPatterns } from 'agentserver'
import { expect, it } from 'vitest'
import { textOf } from '../../support/chat/chat-page.ts'
import type { StartTalk } from '../../support/chat/talk.ts'

/** Answers that guardrails block or change. */
export function guardrailTests(start: StartTalk): void {
  it('ends a blocked answer with its reason, and never shows the text', async () => {
    const noSecrets = ({ text }: { readonly text?: string | undefined }) =>
      text?.includes('secret') === true ? { block: 'Not for you' } : undefined
    const { page } = await start(['The secret is 42', 'Hello'], { guardrails: { output: [noSecrets] } })
    const answer = await page.ask('Tell me')
    expect(textOf(answer)).toBe('')
    expect(answer.metadata).toMatchObject({ finishReason: 'guardrail', reason: 'Not for you' })
    const { error, finished } = await page.state()
    expect([error, finished]).toEqual([null, ['content-filter']])
    expect(textOf(await page.ask('Hi'))).toBe('Hello')
  })

  it('shows the text that a guardrail has changed', async () => {
    const guardrails = { output: [redactPatterns(['email'])] }
    const { page } = await start(['Write to ann@example.com. Bye'], { guardrails })
    const text = textOf(await page.ask('Whom do I write to?'))
    expect(text).not.toContain('ann@')
    expect(text).toMatch(/^Write to .+\. Bye$/)
  })
}
