import type { Budget } from 'agentserver'

export const budgets: readonly Budget[] = [
  { per: 'run', usd: 0.5, onLimit: 'ask' },
  { per: 'user', usd: 2, every: '24h', onLimit: { model: 'openai/gpt-5-mini' } },
  { per: 'project', usd: 100, every: '30d' },
]
