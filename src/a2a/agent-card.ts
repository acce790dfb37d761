import type { Agent } from '../agent/agent.ts'
import { subAgentToolName } from '../agent/sub-agent.ts'

/** What opens an agent's A2A endpoint: nothing, a user's token, or the console key. */
export type CardSecurity =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly format: string | undefined }
  | { readonly kind: 'key'; readonly header: string }

export interface CardPlace {
  /** Where the agent answers A2A, absolute. */
  readonly url: string
  readonly security: CardSecurity
}

interface Skill {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly tags: readonly string[]
}

const INPUT_MODES = ['text/plain', 'application/json']
const OUTPUT_MODES = ['text/plain']

/** The card of an agent (A2A 1.0, section 4.4.1). It tells what is for others: no instructions, models or keys. */
export function agentCard(agent: Agent, { url, security }: CardPlace) {
  const place = { url, protocolBinding: 'JSONRPC' }
  return {
    ...factsOf(agent),
    supportedInterfaces: [
      { ...place, protocolVersion: '1.0' },
      { ...place, protocolVersion: '0.3' },
    ],
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
    ...securityOf(security),
  }
}

/** The same card for clients of A2A 0.3, which have other names for where it is and what opens it. */
export function legacyAgentCard(agent: Agent, { url, security }: CardPlace) {
  return {
    ...factsOf(agent),
    protocolVersion: '0.3.0',
    url,
    preferredTransport: 'JSONRPC',
    capabilities: { streaming: true, pushNotifications: false, stateTransitionHistory: false },
    supportsAuthenticatedExtendedCard: false,
    ...legacySecurityOf(security),
  }
}

function factsOf(agent: Agent) {
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

/** A card must have one, and instructions are nobody else's business. */
function descriptionOf({ name, description = '' }: Agent): string {
  return description.trim() === '' ? `${name} answers questions and requests` : description
}

/** What it can do by its tools and sub-agents; itself where it has none. */
function skillsOf(agent: Agent): Skill[] {
  const { id, name, tools, subAgents } = agent
  const skills = [
    ...tools.map((tool) => ({
      id: tool.name,
      name: tool.name,
      description: tool.description,
      tags: ['tool'],
    })),
    ...subAgents.map((one) => ({
      id: subAgentToolName(one),
      name: one.name,
      description: descriptionOf(one),
      tags: ['agent'],
    })),
  ]
  return skills.length > 0
    ? skills
    : [{ id, name, description: descriptionOf(agent), tags: ['conversation'] }]
}

function securityOf(security: CardSecurity) {
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

function legacySecurityOf(security: CardSecurity) {
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
