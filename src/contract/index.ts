import { statisticsEndpoints } from './endpoints/statistics.ts'
import { routeMatcher } from './route-pattern.ts'
import type { Access, Endpoint } from './endpoint.ts'
import { GROUPS } from './endpoint.ts'
import { a2aEndpoints } from './endpoints/a2a.ts'
import { agUiEndpoints } from './endpoints/ag-ui.ts'
import { failureEndpoints } from './endpoints/failures.ts'
import { usageEndpoints } from './endpoints/usage.ts'
import { workingMemoryEndpoints } from './endpoints/agents/working-memory.ts'
import { conversationEndpoints } from './endpoints/agents/conversation.ts'
import { agentEndpoints } from './endpoints/agent.ts'
import { chatEndpoints } from './endpoints/agents/chat.ts'
import { labEndpoints } from './endpoints/agents/lab.ts'
import { pendingApprovalEndpoints } from './endpoints/agents/pending-approvals.ts'
import { CHANNELS } from './channels.ts'
import { pageEndpoints } from './endpoints/pages.ts'
import { executionEndpoints } from './endpoints/execution.ts'
import { healthEndpoints } from './endpoints/health.ts'
import { linkEndpoints } from './endpoints/link.ts'
import { logEndpoints } from './endpoints/log.ts'
import { mcpEndpoints } from './endpoints/mcp.ts'
import { openaiEndpoints } from './endpoints/openai.ts'
import { observabilityEndpoints } from './endpoints/observability.ts'
import { traceEndpoints } from './endpoints/trace.ts'
import { searchEndpoints } from './endpoints/search.ts'
import { settingsEndpoints } from './endpoints/settings.ts'
import { erasureEndpoints } from './endpoints/erasure.ts'
import { evalEndpoints } from './endpoints/project/evals.ts'
import { keptCaseEndpoints } from './endpoints/project/kept-cases.ts'
import { pinEndpoints } from './endpoints/project/pins.ts'
import { setupEndpoints } from './endpoints/project/setup.ts'
import { scheduleEndpoints } from './endpoints/schedule.ts'
import { waitingEndpoints } from './endpoints/waiting.ts'
import { toolEndpoints } from './endpoints/tool.ts'
import { updatesEndpoints } from './endpoints/project/updates.ts'
import { workflowEndpoints } from './endpoints/workflow.ts'

/**
 * Every endpoint of the server. Routes, validation, access classes, the OpenAPI description, the client and the
 * tests of the API are derived from this table. Fixed paths precede paths with parameters.
 */
export const ENDPOINTS = {
  ...pageEndpoints,
  ...healthEndpoints,
  ...linkEndpoints,
  ...executionEndpoints,
  ...workflowEndpoints,
  ...scheduleEndpoints,
  ...waitingEndpoints,
  ...toolEndpoints,
  ...mcpEndpoints,
  ...agentEndpoints,
  ...conversationEndpoints,
  ...workingMemoryEndpoints,
  ...chatEndpoints,
  ...pendingApprovalEndpoints,
  ...labEndpoints,
  ...a2aEndpoints,
  ...openaiEndpoints,
  ...agUiEndpoints,
  ...observabilityEndpoints,
  ...usageEndpoints,
  ...failureEndpoints,
  ...statisticsEndpoints,
  ...searchEndpoints,
  ...settingsEndpoints,
  ...erasureEndpoints,
  ...logEndpoints,
  ...traceEndpoints,
  ...pinEndpoints,
  ...keptCaseEndpoints,
  ...evalEndpoints,
  ...setupEndpoints,
  ...updatesEndpoints,
} satisfies Record<string, Endpoint>

export type Endpoints = typeof ENDPOINTS
export type EndpointKey = keyof Endpoints

/** The table as `[key, endpoint]` pairs. */
export const ENDPOINT_LIST = Object.entries(ENDPOINTS) as readonly (readonly [EndpointKey, Endpoint])[]

/** The access class of an endpoint under `authNext` with the default lists. */
export function accessOf(endpoint: Endpoint): Access {
  return GROUPS[endpoint.group].access
}

const patternOf = ({ method, path }: Endpoint) =>
  path.startsWith('/observability/') ? '/observability/*' : `${method} ${path}`

const CHANNEL_ROUTES = Object.values(CHANNELS).map(({ path }) => `WS ${path}`)

const matchesChannel = routeMatcher(CHANNEL_ROUTES)

/** Whether a path is a WebSocket channel of the server. */
export function isChannel(path: string): boolean {
  return matchesChannel({ method: 'WS', path })
}

function routesWhere(test: (endpoint: Endpoint) => boolean): readonly string[] {
  return [...new Set(ENDPOINT_LIST.flatMap(([, endpoint]) => (test(endpoint) ? [patternOf(endpoint)] : [])))]
}

/** Patterns of routes that require the console key under `authNext`. Spread it into `consoleRoutes` to extend it. */
export const DEFAULT_CONSOLE_ROUTES = [
  ...routesWhere((endpoint) => accessOf(endpoint) === 'console'),
  ...CHANNEL_ROUTES,
]

/** Patterns of routes that are always public under the legacy `auth`: management, docs and discovery. */
export const DEFAULT_PUBLIC_ROUTES = routesWhere(
  (endpoint) => GROUPS[endpoint.group].legacy === 'public' && accessOf(endpoint) !== 'public',
)

/** Patterns of routes that require a user token under the legacy `auth`: execution, observability, updates. */
export const PROTECTED_ROUTES = [
  ...routesWhere((endpoint) => GROUPS[endpoint.group].legacy === 'protected'),
  ...CHANNEL_ROUTES,
]
