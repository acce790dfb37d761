import { expect, it } from 'vitest'
import { createWorkflow } from '../../../src/index.ts'
import type { ConfigChange } from '../../../src/contract/channels.ts'
import { MAX_CHANGES } from '../../../src/contract/endpoints/settings.ts'
import { Registry } from '../../../src/engine/registry.ts'
import { ConfigChanges } from '../../../src/server/config-changes.ts'

const event = (generation: number) => ({
  generation,
  at: '2026-01-01T00:00:00.000Z',
  durationMs: 5,
  files: ['agentserver.config.ts'],
  modules: 1,
  env: [],
})
const workflow = (id: string, ...steps: string[]) =>
  steps.reduce(
    (chain, step) => chain.andThen({ id: step, execute: async ({ data }) => data }),
    createWorkflow({ id, name: id }).andThen({ id: 'first', execute: async ({ data }) => data }),
  )
const registry = (...workflows: ReturnType<typeof workflow>[]) => new Registry(workflows, [])

it('a load lists added, changed and removed workflows', () => {
  const sent: ConfigChange[] = []
  const changes = new ConfigChanges((change) => sent.push(change))
  const first = registry(workflow('a'), workflow('b'))
  changes.addLoad(event(1), undefined, first)
  changes.addLoad(event(2), first, registry(workflow('b', 'more'), workflow('c')))
  expect(sent).toMatchObject([
    { type: 'config:loaded', data: { added: ['workflow:a', 'workflow:b'], changed: [], removed: [] } },
    {
      type: 'config:loaded',
      data: { generation: 2, added: ['workflow:c'], changed: ['workflow:b'], removed: ['workflow:a'] },
    },
  ])
})

it('changes are listed newest first, with their time, up to a limit', () => {
  const changes = new ConfigChanges(() => undefined)
  const failure = { name: 'E', message: 'no', file: null, line: null, column: null, frame: null }
  for (let n = 0; n < MAX_CHANGES; n++) changes.addLoad(event(n), undefined, registry())
  changes.addFailure(failure, 7)
  expect(changes.list()).toHaveLength(MAX_CHANGES)
  expect(changes.list()[0]).toMatchObject({
    at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    type: 'config:error',
    data: { message: 'no', generation: 7 },
  })
})
