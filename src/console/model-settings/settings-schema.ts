import type { AgentOptions } from '../../contract/endpoints/agent.ts'
import { propertiesOf, resolveSchema } from '../form/json-schema.ts'
import type { JsonSchema } from '../form/json-schema.ts'

/** Options of a request to an agent. The conversation is chosen in the list of conversations; tools are for programs. */
export type Settings = Omit<AgentOptions, 'conversationId' | 'toolChoice' | 'activeTools' | 'pauseAt'>

/** The JSON Schema of `AgentOptions`. Defined by the build from the contract, so that the bundle contains no schemas. */
declare const AGENT_OPTIONS: JsonSchema

const DOCUMENT = AGENT_OPTIONS
const OPTIONS = propertiesOf(resolveSchema(DOCUMENT, DOCUMENT))

/** Names of the settings, in the order of their fields. */
const NAMES: Readonly<Record<keyof Settings, string>> = {
  temperature: 'Temperature',
  maxOutputTokens: 'Max output tokens',
  topP: 'Top P',
  topK: 'Top K',
  seed: 'Seed',
  maxSteps: 'Max steps',
  contextLimit: 'Earlier messages',
  resumable: 'Resumable',
  userId: 'User id',
  stopSequences: 'Stop sequences',
  context: 'Context',
  providerOptions: 'Provider options',
}

const ORDER = Object.keys(NAMES) as readonly (keyof Settings)[]

/** The settings as an object whose members are all optional. */
export const SETTINGS_SCHEMA: JsonSchema = {
  type: 'object',
  properties: Object.fromEntries(ORDER.map((key) => [key, { ...OPTIONS[key], title: NAMES[key] }])),
}
