import { anthropic } from '@ai-sdk/anthropic'
import { createAgent, demoModel } from 'agentserver'

const instructions = 'Answer in one sentence.'

/** The environment decides: AGENTSERVER_MODEL, or the first provider that has a key. */
export const flexible = createAgent({ id: 'flexible', name: 'Flexible', instructions })

/** A model by its name, `provider/model`. */
export const named = createAgent({ id: 'named', name: 'Named', instructions, model: 'openai/gpt-4.1-mini' })

/** A model object of the AI SDK. */
export const exact = createAgent({
  id: 'exact',
  name: 'Exact',
  instructions,
  model: anthropic('claude-haiku-4-5'),
})

/** Two models: the second one is called when the first one is unavailable. */
export const available = createAgent({
  id: 'available',
  name: 'Available',
  instructions,
  model: ['openai/gpt-4.1-mini', anthropic('claude-haiku-4-5')],
})

/** The demo model, in production too. */
export const demo = createAgent({ id: 'demo', name: 'Demo', instructions, model: demoModel() })
