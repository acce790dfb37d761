import { describe, expect, it } from 'vitest'
import type { ChatMessage } from '../../../../../../../src/console/screens/agents/chat/session/chat-message.ts'
import { withStored } from '../../../../../../../src/console/screens/agents/chat/session/with-stored.ts'

const message = (id: string, role: ChatMessage['role'], text: string): ChatMessage => ({
  id,
  role,
  parts: [{ type: 'text', text }],
})
const merged = (stored: ChatMessage[], thread: ChatMessage[]) =>
  withStored(stored, thread).map(({ id }) => id)

const stored = [
  message('s1', 'user', 'Hi'),
  message('s2', 'assistant', 'Hello'),
  message('s3', 'user', 'Hi'),
  message('s4', 'assistant', 'Hello'),
]

describe('the messages of an opened conversation', () => {
  it('are the stored ones when the history has no runs', () => {
    expect(merged(stored, [])).toEqual(['s1', 's2', 's3', 's4'])
  })

  it('are those of the runs when none are stored', () => {
    expect(merged([], [message('a', 'user', 'Hi')])).toEqual(['a'])
  })

  it('keep the details of the runs that the history still has', () => {
    const thread = [message('a', 'user', 'Hi'), message('b', 'assistant', 'Hello')]
    expect(merged(stored, thread)).toEqual(['s1', 's2', 'a', 'b'])
  })

  it('have the responses of other agents, and those that failed, in their place', () => {
    const thread = [
      message('a', 'user', 'Hi'),
      message('b', 'assistant', 'Hello'),
      message('c', 'user', 'Try'),
      message('d', 'assistant', 'Half'),
    ]
    const others = [message('s5', 'user', 'Other'), message('s6', 'assistant', 'Agent')]
    expect(merged([...stored.slice(0, 2), ...others], thread)).toEqual(['a', 'b', 's5', 's6', 'c', 'd'])
  })
})
