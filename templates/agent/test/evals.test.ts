import { evalCases } from 'agentserver/testing'
import { beforeAll, vi } from 'vitest'
import config from '../agentserver.config.ts'
import clerk from '../src/agents/clerk.eval.ts'

beforeAll(() => {
  // With no model configured the demo model answers: offline, and always the same.
  for (const name of ['AGENTSERVER_MODEL', 'OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'OLLAMA_HOST'])
    vi.stubEnv(name, '')
  vi.stubEnv('GOOGLE_GENERATIVE_AI_API_KEY', '')
})

// One test for each case file.
await evalCases({ config, evals: [clerk], root: new URL('..', import.meta.url) })
