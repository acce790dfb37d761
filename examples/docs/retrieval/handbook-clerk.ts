import { createAgent } from 'agentserver'
import { searchHandbook } from './handbook-index.ts'

export const handbookClerk = createAgent({
  id: 'handbook-clerk',
  name: 'Handbook clerk',
  instructions: 'Answer questions of employees from the handbook. Say so when it has no answer.',
  retriever: ({ query, signal }) => searchHandbook(query, { limit: 5, signal }),
})
