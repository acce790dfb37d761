import { createAgent } from 'agentserver'

/** Remembers a conversation; the model sees its newest ten messages. */
export const assistant = createAgent({
  id: 'assistant',
  name: 'Assistant',
  instructions: 'Answer briefly.',
  memory: { lastMessages: 10 },
})

/** Neither reads nor writes conversations. */
export const translator = createAgent({
  id: 'translator',
  name: 'Translator',
  instructions: 'Translate to French.',
  memory: false,
})
