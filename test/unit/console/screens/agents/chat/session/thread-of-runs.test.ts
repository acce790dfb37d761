import { describe, expect, it } from 'vitest'
import type {
  ChatMessage,
  Run,
} from '../../../../../../../src/console/screens/agents/chat/session/chat-message.ts'
import { textOf } from '../../../../../../../src/console/screens/agents/chat/session/chat-message.ts'
import { listedConversations } from '../../../../../../../src/console/screens/agents/chat/session/conversations.ts'
import {
  threadOfRuns,
  withStored,
} from '../../../../../../../src/console/screens/agents/chat/session/thread-of-runs.ts'
import { toUiMessages } from '../../../../../../../src/console/screens/agents/chat/session/ui-messages.ts'

const usage = {
  inputTokens: 1,
  outputTokens: 1,
  totalTokens: 2,
  cachedInputTokens: 0,
  reasoningTokens: 0,
  costUsd: null,
}

function run(id: string, input: unknown, change: Partial<Run> = {}): Run {
  return {
    id,
    agentId: 'clerk',
    input,
    output: `answer ${id}`,
    status: 'completed',
    usage,
    model: 'demo/demo',
    startTime: '2026-01-01T00:00:00.000Z',
    endTime: '2026-01-01T00:00:01.500Z',
    userId: null,
    conversationId: 'c',
    traceId: 'f'.repeat(32),
    steps: [],
    ...change,
  }
}

const userMessage = (id: string, text: string) => ({ id, role: 'user', parts: [{ type: 'text', text }] })
const texts = (thread: readonly ChatMessage[]) => thread.map((message) => textOf(message))

describe('threadOfRuns', () => {
  it('appends a run with one message', () => {
    const thread = threadOfRuns([run('r1', 'one'), run('r2', [userMessage('u2', 'two')])])
    expect(texts(thread)).toEqual(['one', 'answer r1', 'two', 'answer r2'])
    expect(thread[1]?.details).toMatchObject({ status: 'completed', tookMs: 1500, usage })
  })

  it('starts over with a run that sent the whole conversation, and keeps the details of known answers', () => {
    const answer = { id: 'r1', role: 'assistant', parts: [{ type: 'text', text: 'answer r1' }] }
    const whole = [userMessage('u1', 'one'), answer, userMessage('u2', 'changed')]
    const thread = threadOfRuns([
      run('r1', [userMessage('u1', 'one')]),
      run('r2', [userMessage('u2', 'two')]),
      run('r3', whole),
    ])
    expect(texts(thread)).toEqual(['one', 'answer r1', 'changed', 'answer r3'])
    expect(thread[1]?.details?.traceId).toBe('f'.repeat(32))
  })

  it('replaces the conversation when its first message was edited', () => {
    const thread = threadOfRuns([
      run('r1', [userMessage('u1', 'one')]),
      run('r2', [userMessage('u1', 'changed')]),
    ])
    expect(texts(thread)).toEqual(['changed', 'answer r2'])
  })

  it('has the status of answers that did not complete', () => {
    const thread = threadOfRuns([
      run('r1', 'one', { status: 'aborted', output: 'half' }),
      run('r2', 'two', { status: 'error', output: null, error: 'gone' }),
    ])
    expect(thread.map(({ details }) => details?.status)).toEqual([undefined, 'stopped', undefined, 'error'])
    expect(texts(thread)).toEqual(['one', 'half', 'two', ''])
  })

  it('joins tool calls with their results, also from model messages', () => {
    const step = {
      text: '',
      finishReason: 'tool-calls' as const,
      usage,
      toolCalls: [{ toolCallId: 't1', toolName: 'lookup', input: { id: 1 } }],
      toolResults: [{ toolCallId: 't1', toolName: 'lookup', error: 'no such order' }],
    }
    const given = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 't0', toolName: 'add', input: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 't0', toolName: 'add', output: 3 }] },
      { role: 'user', content: [{ type: 'text', text: 'and now' }] },
    ]
    const thread = threadOfRuns([run('r1', given, { steps: [step] })])
    expect(thread[1]?.parts).toEqual([
      { type: 'tool', toolCallId: 't0', toolName: 'add', state: 'output-available', input: {}, output: 3 },
    ])
    expect(thread.at(-1)?.parts[0]).toMatchObject({ state: 'output-error', errorText: 'no such order' })
  })

  it('sends messages without reasoning and unfinished tool calls', () => {
    const sent = toUiMessages([
      {
        id: 'a',
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 'hm' },
          { type: 'tool', toolCallId: 't', toolName: 'add', state: 'input-available', input: {} },
          { type: 'text', text: 'so' },
        ],
      },
      { id: 'b', role: 'assistant', parts: [] },
    ])
    expect(sent).toEqual([{ id: 'a', role: 'assistant', parts: [{ type: 'text', text: 'so' }] }])
  })
})

describe('listedConversations', () => {
  it('lists each conversation once, titled by its first message', () => {
    const runs = [
      run('r3', 'later', { conversationId: 'b', startTime: '2026-01-03T00:00:00.000Z', status: 'running' }),
      run('r2', 'second', { startTime: '2026-01-02T00:00:00.000Z' }),
      run('r1', 'first'),
      run('r0', 'alone', { conversationId: null }),
    ]
    expect(listedConversations([], runs, { search: '', hasMore: false })).toMatchObject([
      { id: 'b', title: 'later', size: '1 response', status: 'running' },
      { id: 'c', title: 'first', size: '2 responses', lastAt: '2026-01-02T00:00:00.000Z' },
    ])
    expect(listedConversations([], runs, { search: 'FIRS', hasMore: false })).toMatchObject([{ id: 'c' }])
  })

  it('lists stored conversations under their titles, with the status of their newest run', () => {
    const stored = {
      id: 'c',
      title: 'Renamed',
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-02T00:00:00.000Z',
      messageCount: 2,
      userId: null,
      agentIds: ['clerk'],
    }
    const runs = [run('r2', 'second', { status: 'error' }), run('r1', 'first')]
    const [one, ...others] = listedConversations([stored], runs, { search: '', hasMore: false })
    expect(one).toMatchObject({ title: 'Renamed', size: '2 messages', status: 'error', isStored: true })
    expect(others).toEqual([])
    // the same id of another user
    const anna = { ...stored, userId: 'anna' }
    expect(listedConversations([anna], runs, { search: '', hasMore: false })).toHaveLength(2)
  })
})

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
