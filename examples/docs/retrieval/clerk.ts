import { createAgent } from 'agentserver'

const HANDBOOK = [
  { id: '§ 3', text: 'Travel: the first class of trains from four hours on.' },
  { id: '§ 7', text: 'Holidays: 30 days a year, 5 of them may be moved to the next one.' },
]

export const clerk = createAgent({
  id: 'clerk',
  name: 'Clerk',
  instructions: 'Answer questions of employees from the handbook. Name the paragraph.',
  retriever: async ({ query }) => {
    const words = query.toLowerCase().match(/\p{L}{4,}/gu) ?? []
    return HANDBOOK.filter(({ text }) => words.some((word) => text.toLowerCase().includes(word)))
  },
})
