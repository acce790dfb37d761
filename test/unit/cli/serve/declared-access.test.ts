import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../../../src/agent/create-agent.ts'
import { createTool } from '../../../../src/agent/tools/create-tool.ts'
import { accessTable, openToTokens } from '../../../../src/cli/serve/declared-access.ts'
import { resolveConfig } from '../../../../src/config/config.ts'
import { createWorkflow } from '../../../../src/workflow/create-workflow.ts'
import { andThen } from '../../../../src/workflow/steps/and-then.ts'

const tool = (name: string, options: object = {}) =>
  createTool({ name, description: 'Works', inputSchema: z.object({}), execute: () => 1, ...options })
const child = createWorkflow({ id: 'child' }, andThen({ id: 'work', execute: () => 1 }))
const order = createWorkflow({ id: 'order', resumableBy: 'others' })
  .andWaitForEvent({ id: 'paid', event: 'payment', from: 'users' })
  .andSleep({ id: 'cool', for: '1h' })
  .andWorkflow({ id: 'ship', workflow: child, input: () => ({}) })
const purge = createWorkflow({ id: 'purge', startedBy: 'operators' }, andThen({ id: 'p', execute: () => 1 }))
const clerk = createAgent({
  id: 'clerk',
  name: 'Clerk',
  instructions: 'Help',
  tools: [tool('refund', { needsApproval: { by: 'others' } }), tool('inner', { callable: false })],
})
const declared = { workflows: [order, purge], agents: [clerk], tools: [tool('echo')] }
const provider = { type: 'test', verifyToken: () => ({ id: 'ada' }) }

describe('the declared access', () => {
  it('is one line of what tokens may start', () => {
    expect(openToTokens(resolveConfig({ ...declared, authNext: { provider } }, 'c.ts'))).toBe(
      'workflows order; agents clerk; tools echo; events payment',
    )
    expect(openToTokens(resolveConfig({ workflows: [purge], authNext: { provider } }, 'c.ts'))).toBe(
      'nothing',
    )
  })

  it('is a table with a line for each workflow, agent, tool and waiting step', () => {
    expect(accessTable(resolveConfig({ ...declared, authNext: { provider } }, 'c.ts'))).toEqual([
      'workflow order: started by users, resumed by others',
      'workflow child: started by steps (not served), resumed by users',
      'workflow purge: started by operators, resumed by users',
      'agent clerk: called by users',
      'tool echo: called directly by users',
      'tool refund: called directly by operators, approved by others',
      'tool inner: called directly by agents',
      'event payment of order: sent by users',
      'sleep cool of order: woken by operators',
    ])
  })

  it('is empty without an auth provider: everyone may start all', () => {
    const config = resolveConfig(declared, 'c.ts')
    expect([openToTokens(config), accessTable(config)]).toEqual([undefined, []])
  })
})
