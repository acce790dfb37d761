import { createAgent } from 'agentserver'
import { createTestRunner, scriptedModel } from 'agentserver/testing'
import { beforeAll, expect, test, vi } from 'vitest'
import { clerk } from '../src/agents/clerk.ts'
import { findNotes } from '../src/notes/note-store.ts'

beforeAll(() => void vi.stubEnv('NOTES_FILE', ':memory:'))

/** Asks the clerk, whose model answers from a script. */
async function ask(script: Parameters<typeof scriptedModel>[0]) {
  const model = scriptedModel(script)
  const runner = createTestRunner([], { agents: [createAgent({ ...clerk, model })] })
  const answer = await runner.client.generateText({ params: { id: 'clerk' }, body: { input: 'Please' } })
  await runner.close()
  return { answer, model }
}

test('the clerk calculates with its tool and returns the exact value', async () => {
  const { answer } = await ask([
    { toolCalls: [{ toolName: 'calculate', input: { expression: '0.1 + 0.2' } }] },
    'It is 0.3.',
  ])

  expect(answer.toolResults).toMatchObject([{ toolName: 'calculate', output: { value: '0.3' } }])
  expect(answer.text).toBe('It is 0.3.')
})

test('a note of the clerk is stored', async () => {
  await ask([{ toolCalls: [{ toolName: 'notes', input: { action: 'add', text: 'Call Ada' } }] }, 'Done.'])

  expect(findNotes('ada')).toMatchObject([{ text: 'Call Ada' }])
})

test('an invalid expression is returned to the model as an error, and the model can retry', async () => {
  const { answer, model } = await ask([
    { toolCalls: [{ toolName: 'calculate', input: { expression: '1 +' } }] },
    'That is no sum.',
  ])

  expect(answer.toolResults).toMatchObject([{ toolName: 'calculate', error: 'Tool "calculate" failed' }])
  expect(model.calls).toHaveLength(2)
})
