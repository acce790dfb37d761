import type { AgentSummary } from '../contract/endpoints/agent.ts'

type Models = Pick<AgentSummary, 'model' | 'provider' | 'fallbackModels' | 'perRequest'>

/** The models of an agent in the order in which they are called; `undefined` when none is configured. */
export function modelsText({ model, provider, fallbackModels, perRequest }: Models): string | undefined {
  if (perRequest.includes('model')) return 'per request'
  return model === null ? undefined : [`${provider}/${model}`, ...fallbackModels].join(', then ')
}
