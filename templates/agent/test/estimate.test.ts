import { createTestRunner } from 'agentserver/testing'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { addNote, findNotes } from '../src/notes/note-store.ts'
import { checkedTotal, estimate } from '../src/workflows/estimate.ts'

const runner = createTestRunner([estimate])

beforeAll(() => {
  vi.stubEnv('NOTES_FILE', ':memory:')
  // With no model configured the demo model answers: offline, and always the same.
  for (const name of ['AGENTSERVER_MODEL', 'OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'OLLAMA_HOST'])
    vi.stubEnv(name, '')
  vi.stubEnv('GOOGLE_GENERATIVE_AI_API_KEY', '')
})
afterAll(() => runner.close())

const lines = [
  { what: 'Desk', price: '1249.90', count: 3 },
  { what: 'Chair', price: '89.5', count: 2 },
]

test('an estimate is calculated exactly and stored as a note', async () => {
  const { status, result } = await runner.run(estimate, { title: 'Office move', lines })

  expect(status).toBe('completed')
  expect(result).toEqual({ title: 'Office move', total: '3928.7', note: 'Office move: 3928.7' })
  expect(findNotes('office').map(({ text }) => text)).toEqual(['Office move: 3928.7'])
})

test('the same estimate leaves one note', async () => {
  await runner.run(estimate, { title: 'Twice', lines })
  await runner.run(estimate, { title: 'Twice', lines })

  expect(findNotes('Twice')).toHaveLength(1)
})

test('a wrong total is rejected', () => {
  expect(checkedTotal({ expression: '2 * 1.50', total: '3.00' })).toBe('3')
  expect(() => checkedTotal({ expression: '2 * 1.50', total: '3.5' })).toThrow(
    'The agent returned 3.5, but 2 * 1.50 is 3',
  )
})

test('an input that is not a number is rejected before any step runs', async () => {
  const input = { title: 'X', lines: [{ what: 'Desk', price: '1e9', count: 1 }] }

  await expect(runner.client.workflow('estimate').execute(input)).rejects.toThrow('input.lines[0].price')
})

test('notes are found case-insensitively, newest first, and stored once', () => {
  const first = addNote('Call Ädä')
  addNote("Call Bob'); --")

  expect(findNotes('CALL Ä')).toEqual([first])
  expect(addNote('Call Ädä')).toEqual(first)
  expect(findNotes('call').map(({ text }) => text)).toEqual(["Call Bob'); --", 'Call Ädä'])
  expect(findNotes('nobody')).toEqual([])
})
