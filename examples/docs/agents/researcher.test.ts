import { createTestRunner, scriptedModel } from 'agentserver/testing'
import { expect, test } from 'vitest'
import { researcher } from './researcher.ts'

test('the researcher searches first, and ends when the report is filed', async () => {
  const report = { title: 'Tides', text: 'They come twice a day.' }
  const model = scriptedModel([
    { toolCalls: [{ toolName: 'search', input: { query: 'tides' } }] },
    { toolCalls: [{ toolName: 'file-report', input: report }] },
  ])
  const runner = createTestRunner([], { agents: [researcher], models: { researcher: model } })

  const answer = await runner.client.agent('researcher').generate('Write about tides')
  expect(answer.toolResults.at(-1)?.output).toEqual({ filed: 'Tides' })
  expect(model.calls.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([
    ['search'],
    ['search', 'file-report'],
  ])
  await runner.close()
})
