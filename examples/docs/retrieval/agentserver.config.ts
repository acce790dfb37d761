import { createAgent, defineConfig } from 'agentserver'
import { searchHandbook } from './handbook-index.ts'

const clerk = createAgent({
  id: 'clerk',
  name: 'Clerk',
  instructions:
    'Answer questions of employees from the handbook. Name the paragraph. Say so when it has no answer.',
  retriever: ({ query, signal }) => searchHandbook(query, { limit: 5, signal }),
})

export default defineConfig({ agents: [clerk] })
