import { createAgent } from 'agentserver'
import { createTestRunner, scriptedModel } from 'agentserver/testing'
import { beforeAll, expect, test, vi } from 'vitest'
import { clerk } from '../src/agents/clerk.ts'
import { addNote, findNotes } from '../src/notes/note-store.ts'

beforeAll(() => void vi.stubEnv('NOTES_FILE', ':memory:'))

/** The clerk, whose model answers from a script. */
function clerkWith(script: Parameters<typeof scriptedModel>[0]) {
  const model = scriptedModel(script)
  return { model, runner: createTestRunner([], { agents: [createAgent({ ...clerk, model })] }) }
}

async function ask(script: Parameters<typeof scriptedModel>[0], input = 'Please') {
  const { model, runner } = clerkWith(script)
  const answer = await runner.client.agent('clerk').generate(input)
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

test.each([true, false])('a note is deleted only when a person approves it: %s', async (approved) => {
  addNote('Old note')
  const { runner } = clerkWith([
    { toolCalls: [{ toolName: 'deleteNote', input: { text: 'Old note' } }] },
    'As you wish.',
  ])
  const asked = await runner.client.agent('clerk').generate('Delete it')
  expect(asked).toMatchObject({
    finishReason: 'approval-required',
    approvals: [{ toolName: 'deleteNote', input: { text: 'Old note' } }],
  })
  expect(findNotes('Old note')).toHaveLength(1)

  const approvals = (asked.approvals ?? []).map(({ approvalId }) => ({ approvalId, approved }))
  await runner.client.agent('clerk').run(asked.id).respond(approvals)
  await runner.close()

  expect(findNotes('Old note')).toHaveLength(approved ? 0 : 1)
})

test('the model never receives the number of a payment card', async () => {
  const { model } = await ask(['Done.'], 'Note my card 4111 1111 1111 1111')

  expect(model.prompts[0]).toMatch(/^Note my card /)
  expect(model.prompts[0]).not.toContain('4111')
})

test('the clerk remembers a user in later conversations', async () => {
  const { model, runner } = clerkWith([
    { toolCalls: [{ toolName: 'update_working_memory', input: { name: 'Ada', currency: 'EUR' } }] },
    'Hello Ada.',
    'In euros.',
  ])
  const say = (input: string, conversationId: string) =>
    runner.client.agent('clerk').generate(input, { userId: 'ada', conversationId })
  await say('I am Ada, and calculate in euros', 'first')
  await say('Which currency?', 'second')
  await runner.close()

  expect(JSON.stringify(model.calls.at(-1)?.prompt)).toContain('EUR')
})

test('an invalid expression is returned to the model as an error, and the model can retry', async () => {
  const { answer, model } = await ask([
    { toolCalls: [{ toolName: 'calculate', input: { expression: '1 +' } }] },
    'That is no sum.',
  ])

  expect(answer.toolResults).toMatchObject([{ toolName: 'calculate', error: 'Tool "calculate" failed' }])
  expect(model.calls).toHaveLength(2)
})
