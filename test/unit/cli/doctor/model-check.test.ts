import { describe, expect, test, vi } from 'vitest'
import { createAgent } from '../../../../src/agent/create-agent.ts'
import { demoModel } from '../../../../src/agent/models/demo/demo-model.ts'
import { providerPackages } from '../../../../src/cli/doctor/model-check.ts'

const agentWith = (model?: Parameters<typeof createAgent>[0]['model']) =>
  createAgent({ id: 'a', name: 'A', instructions: 'x', ...(model !== undefined && { model }) })

describe('the required provider packages', () => {
  test('are those of the models set on agents, each once', () => {
    const agents = (['anthropic/claude-haiku-4-5', 'anthropic/other', 'openai/gpt-x'] as const).map((model) =>
      agentWith(model),
    )
    expect(providerPackages(agents)).toEqual(['@ai-sdk/anthropic'])
    expect(providerPackages([agentWith(demoModel()), agentWith('nonsense' as 'openai/x')])).toEqual([])
  })

  test('include that of the model from the environment', () => {
    for (const name of ['AGENTSERVER_MODEL', 'OPENAI_API_KEY', 'ANTHROPIC_API_KEY']) vi.stubEnv(name, '')
    vi.stubEnv('GOOGLE_GENERATIVE_AI_API_KEY', 'a-real-one')
    expect(providerPackages([agentWith()])).toEqual(['@ai-sdk/google'])
    vi.unstubAllEnvs()
  })
})
