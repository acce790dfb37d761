import { expect, test } from 'vitest'
import { checkLinks } from '../../../../src/cli/doctor/links-check.ts'
import { createWorkflow } from '../../../../src/workflow/create-workflow.ts'

const notifying = createWorkflow({
  id: 'asks',
  run: async ({ step }) => step.suspend('ask', { notify: () => undefined }),
})
const silent = createWorkflow({ id: 'silent', run: async ({ step }) => step.suspend('ask') })
const publicUrl = 'https://shop.example'
const check = (
  config: Partial<Parameters<typeof checkLinks>[0]['config']>,
  { secret, production = true }: { secret?: string; production?: boolean } = {},
) =>
  checkLinks({
    config: { publicUrl: undefined, workflows: [], ...config },
    production,
    env: secret === undefined ? {} : { AGENTSERVER_LINK_SECRET: secret },
  }).map(({ status, message }) => `${status}: ${message}`)

const NONE = 'suspended executions have no links, and notify is not called'

test('a configuration without links is not checked for their secret', () => {
  expect(check({ workflows: [silent] })).toEqual([])
})

test('links without a secret are an error in production', () => {
  const unset = `error: AGENTSERVER_LINK_SECRET is not set: ${NONE}`
  expect(check({ publicUrl })).toEqual([unset])
  expect(check({ publicUrl }, { secret: '' })).toEqual([unset])
  expect(check({ workflows: [notifying] })).toEqual([unset, `error: publicUrl is not configured: ${NONE}`])
  expect(check({ publicUrl, workflows: [notifying] }, { secret: 'x'.repeat(32) })).toEqual([
    'ok: Signed with AGENTSERVER_LINK_SECRET',
  ])
})

test('a secret of links that can be guessed is an error', () => {
  const short = 'error: AGENTSERVER_LINK_SECRET has fewer than 16 bytes and can be guessed'
  for (const production of [true, false])
    expect(check({ publicUrl }, { secret: 'hunter2', production })).toEqual([short])
})

test('links need no secret in development', () => {
  expect(check({ workflows: [notifying] }, { production: false })).toEqual([
    'ok: Signed with a secret of this project; production needs AGENTSERVER_LINK_SECRET',
  ])
})
