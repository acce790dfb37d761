import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createTestRunner } from 'agentserver/testing'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { addNote, findNotes } from '../src/notes/note-file.ts'
import { checkedTotal, estimate } from '../src/workflows/estimate.ts'

const runner = createTestRunner([estimate])
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'notes-'))
const file = path.join(directory, 'notes.jsonl')

beforeAll(() => {
  vi.stubEnv('NOTES_FILE', file)
  // With no model configured the demo model answers: offline, and always the same.
  for (const name of ['AGENTSERVER_MODEL', 'OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'OLLAMA_HOST'])
    vi.stubEnv(name, '')
  vi.stubEnv('GOOGLE_GENERATIVE_AI_API_KEY', '')
})
afterAll(async () => {
  await runner.close()
  fs.rmSync(directory, { recursive: true })
})

const lines = [
  { what: 'Desk', price: '1249.90', count: 3 },
  { what: 'Chair', price: '89.5', count: 2 },
]

test('an estimate is worked out exactly and noted', async () => {
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

test('a wrong total is refused', () => {
  expect(checkedTotal({ expression: '2 * 1.50', total: '3.00' })).toBe('3')
  expect(() => checkedTotal({ expression: '2 * 1.50', total: '3.5' })).toThrow(
    'The agent says 3.5, but 2 * 1.50 is 3',
  )
})

test('an input that is no number is refused before anything runs', async () => {
  const body = { input: { title: 'X', lines: [{ what: 'Desk', price: '1e9', count: 1 }] } }

  await expect(runner.client.executeWorkflow({ params: { id: 'estimate' }, body })).rejects.toThrow(
    'input.lines[0].price',
  )
})

test('notes are found in any case, the newest first, also after a line that was cut short', () => {
  addNote('Call Ada')
  fs.appendFileSync(file, '{"text":"cut sh')
  addNote('Call Bob')

  expect(findNotes('CALL').map(({ text }) => text)).toEqual(['Call Bob', 'Call Ada'])
  expect(findNotes('nobody')).toEqual([])
})
