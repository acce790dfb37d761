import type { ModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { keptCount, newMessages, withoutToolCalls } from '../../../../src/engine/agents/agent-memory.ts'

const call = { type: 'tool-call', toolCallId: 'c', toolName: 'add', input: {} } as const
const result = {
  type: 'tool-result',
  toolCallId: 'c',
  toolName: 'add',
  output: { type: 'text', value: '5' },
} as const

/** Capital letters are questions, others answers; `+` is an answer with a tool call and its result. */
const talk = (letters: string): ModelMessage[] =>
  Array.from(letters).flatMap((letter): ModelMessage[] => {
    if (letter === '+')
      return [
        { role: 'assistant', content: [call] },
        { role: 'tool', content: [result] },
      ]
    return letter === letter.toUpperCase()
      ? [{ role: 'user', content: letter }]
      : [{ role: 'assistant', content: [{ type: 'text', text: letter }] }]
  })

it.each([
  ['AaB', 'B'],
  ['Aa', ''],
  ['A+', ''],
  ['AaBC', 'BC'],
  ['A', 'A'],
])('the new messages of %s are %s', (sent, expected) => {
  expect(newMessages(talk(sent))).toEqual(talk(expected))
})

it('calls and results of tools are left out, and the text beside them stays', () => {
  const text = { type: 'text', text: 'b' } as const
  const mixed: ModelMessage = { role: 'assistant', content: [text, call, result] }
  expect(withoutToolCalls([...talk('A+a'), mixed])).toEqual([
    ...talk('Aa'),
    { role: 'assistant', content: [text] },
  ])
  const plain = talk('AaB')
  expect(withoutToolCalls(plain)).toBe(plain)
})

describe('a message that is answered again or edited', () => {
  it.each([
    ['the last question', 'AaB+b', 'AaB', 'Aa'],
    ['an earlier question', 'AaBbCc', 'AaB', 'Aa'],
    ['the first question', 'AaBb', 'A', ''],
    ['an edited question', 'AaBb', 'AaX', 'Aa'],
    ['an edited first question', 'AaBb', 'X', ''],
    ['a question that failed', 'AaBb', 'AaBbC', 'AaBb'],
    ['a question behind one that failed', 'AaBbCc', 'AaXBbC', 'AaBb'],
    ['a question of a page that has only the newest messages', 'AaBbCcDd', 'CcD', 'AaBbCc'],
    ['the first question of such a page', 'AaBbCcDd', 'C', 'AaBb'],
    ['a repeated question', 'AaAaAa', 'AaA', 'Aa'],
    ['a question whose answer the client changed', 'AaBb', 'AxB', 'Aa'],
    ['a question whose earlier ones are unknown', 'AaBb', 'XxB', 'Aa'],
  ])('keeps the turns before it: %s', (_, stored, sent, kept) => {
    expect(keptCount(talk(stored), talk(sent))).toBe(talk(kept).length)
  })

  it('is refused when neither it nor one before it is of the conversation', () => {
    expect(keptCount(talk('AaBb'), talk('XxY'))).toBeUndefined()
  })
})
