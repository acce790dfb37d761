import { andForEach, andThen, createWorkflow } from 'agentserver'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { Queries } from '../../../../src/engine/executions/queries.ts'
import { Registry } from '../../../../src/engine/registry.ts'
import { EventHub } from '../../../../src/lib/async/event-hub.ts'
import { openSqliteStore } from '../../../../src/store/sqlite/sqlite-store.ts'
import type { WorkflowDefinition } from '../../../../src/workflow/definition.ts'
import { executionRow } from '../../../suites/store/execution-rows.ts'

const step = andThen({ id: 'step', execute: ({ data }: { data: number }) => data })
const numbers = { name: 'x', inputSchema: z.array(z.number()) }
const looping = createWorkflow({ id: 'looping', ...numbers }).andAll({
  id: 'all',
  steps: [andForEach({ id: 'each', step })],
})
const plain = createWorkflow({ id: 'plain', ...numbers }).andThen({
  id: 'length',
  execute: ({ data }) => data.length,
})

/** Whether the steps of an execution are read for its state. */
async function readsSteps(
  workflow: WorkflowDefinition,
  change: { definitionHash?: string; status?: 'completed' } = {},
) {
  const store = openSqliteStore({ file: ':memory:' })
  const registry = new Registry([workflow])
  const read = vi.spyOn(store.executions, 'steps')
  const { hash: definitionHash } = registry.get(workflow.id)
  const row = executionRow({ id: 'e', workflowId: workflow.id, definitionHash, ...change })
  await new Queries(store, { hub: new EventHub(), live: new EventHub(), registry: () => registry }).state(row)
  await store.close()
  return read.mock.calls.length > 0
}

test('the state of an execution is read without its steps, unless some may have items or rounds', async () => {
  expect(await readsSteps(plain)).toBe(false)
  expect(await readsSteps(looping)).toBe(true)
  expect(await readsSteps(looping, { status: 'completed' })).toBe(false)
})

test('the state of an execution that was started with other code is read with its steps', async () => {
  expect(await readsSteps(plain, { definitionHash: 'other' })).toBe(true)
})
