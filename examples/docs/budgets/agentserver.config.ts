import { createAgent, defineConfig } from 'agentserver'

const clerk = createAgent({
  id: 'clerk',
  name: 'Clerk',
  instructions: 'Answer in one sentence.',
  budgets: [{ per: 'user', tokens: 1050, every: '24h' }],
})

export default defineConfig({ agents: [clerk] })
