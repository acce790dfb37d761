import type { Agent } from '../agent/agent.ts'
import { isClientTool } from '../agent/tools/tool.ts'
import { subAgentToolName } from '../agent/sub-agent.ts'

/** The credentials that an agent's A2A endpoint requires: none, a user's token, or the console key. */
export type CardSecurity =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly format: string | undefined }
  | { readonly kind: 'key'; readonly header: string }

export interface AgentEndpoint {
  /** The absolute URL of the agent's A2A endpoint. */
  readonly url: string
  readonly security: CardSecurity
}

interface Skill {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly tags: readonly string[]
  readonly examples?: readonly string[]
}

const INPUT_MODES = ['text/plain', 'application/json']
const OUTPUT_MODES = ['text/plain']
/** Not the name of a tool, which has no dot. */
const CONVERSATION = 'agent.conversation'

/** The card of an agent (A2A 1.0, section 4.4.1). It never contains instructions, models or keys. */
export function agentCard(agent: Agent, { url, security }: AgentEndpoint) {
  const jsonRpc = { url, protocolBinding: 'JSONRPC' }
  return {
    ...commonFields(agent),
    supportedInterfaces: [
      { ...jsonRpc, protocolVersion: '1.0' },
      { ...jsonRpc, protocolVersion: '0.3' },
    ],
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
    ...securityFields(security),
  }
}

/** The same card for clients of A2A 0.3, which has other field names for the endpoint and its security. */
export function legacyAgentCard(agent: Agent, { url, security }: AgentEndpoint) {
  return {
    ...commonFields(agent),
    protocolVersion: '0.3.0',
    url,
    preferredTransport: 'JSONRPC',
    capabilities: { streaming: true, pushNotifications: false, stateTransitionHistory: false },
    supportsAuthenticatedExtendedCard: false,
    ...legacySecurityFields(security),
  }
}

function commonFields(agent: Agent) {
  const { name, version = '1.0.0' } = agent
  return {
    name,
    description: descriptionOf(agent),
    version,
    defaultInputModes: INPUT_MODES,
    defaultOutputModes: OUTPUT_MODES,
    skills: skillsOf(agent),
  }
}

/** Cards require a description. The instructions are private, so they are no substitute. */
function descriptionOf({ name, description = '' }: Agent): string {
  return description.trim() === '' ? `${name} answers questions and requests` : description
}

/** One skill per tool and sub-agent, and conversation for an agent that has examples, or neither tools nor sub-agents. */
function skillsOf(agent: Agent): Skill[] {
  const { id, name, tools, subAgents, examples = [] } = agent
  const skills = [
    // clients of this protocol can't execute the tools of a chat client
    ...tools
      .filter((tool) => !isClientTool(tool))
      .map((tool) => ({
        id: tool.name,
        name: tool.name,
        description: tool.description,
        tags: ['tool'],
      })),
    ...subAgents.map((subAgent) => ({
      id: subAgentToolName(subAgent),
      name: subAgent.name,
      description: descriptionOf(subAgent),
      tags: ['agent'],
    })),
  ]
  const conversation = { name, description: descriptionOf(agent), tags: ['conversation'] }
  if (skills.length === 0) return [{ id, ...conversation, ...(examples.length > 0 && { examples }) }]
  // a tool can have the id of the agent
  return examples.length === 0 ? skills : [{ id: CONVERSATION, ...conversation, examples }, ...skills]
}

function securityFields(security: CardSecurity) {
  switch (security.kind) {
    case 'none':
      return { securitySchemes: {}, securityRequirements: [] }
    case 'token': {
      const { format } = security
      const scheme = { scheme: 'Bearer', ...(format !== undefined && { bearerFormat: format }) }
      return {
        securitySchemes: { userToken: { httpAuthSecurityScheme: scheme } },
        securityRequirements: [{ schemes: { userToken: { list: [] } } }],
      }
    }
    case 'key':
      return {
        securitySchemes: {
          consoleKey: { apiKeySecurityScheme: { location: 'header', name: security.header } },
        },
        securityRequirements: [{ schemes: { consoleKey: { list: [] } } }],
      }
  }
}

function legacySecurityFields(security: CardSecurity) {
  switch (security.kind) {
    case 'none':
      return { securitySchemes: {}, security: [] }
    case 'token': {
      const { format } = security
      const userToken = {
        type: 'http',
        scheme: 'bearer',
        ...(format !== undefined && { bearerFormat: format }),
      }
      return { securitySchemes: { userToken }, security: [{ userToken: [] }] }
    }
    case 'key': {
      const consoleKey = { type: 'apiKey', in: 'header', name: security.header }
      return { securitySchemes: { consoleKey }, security: [{ consoleKey: [] }] }
    }
  }
}
