import type { Handlers } from './bind.ts'
import type { Services } from './services.ts'
import { a2aHandlers } from './handlers/a2a.ts'
import { activityHandlers } from './handlers/activity.ts'
import { agentHandlers } from './handlers/agent.ts'
import { docsHandlers } from './handlers/docs.ts'
import { executionHandlers } from './handlers/execution.ts'
import { healthHandlers } from './handlers/health.ts'
import { logHandlers } from './handlers/log.ts'
import { mcpHandlers } from './handlers/mcp.ts'
import { observabilityHandlers } from './handlers/observability.ts'
import { settingsHandlers } from './handlers/settings.ts'
import { setupHandlers } from './handlers/setup.ts'
import { toolHandlers } from './handlers/tool.ts'
import { traceHandlers } from './handlers/trace.ts'
import { updatesHandlers } from './handlers/updates.ts'
import { workflowHandlers } from './handlers/workflow.ts'

/** The handlers of all endpoints. One that is missing does not compile. */
export function handlersFor(services: Services): Handlers {
  return {
    ...docsHandlers(services),
    ...healthHandlers(services),
    ...executionHandlers(services),
    ...workflowHandlers(services),
    ...mcpHandlers(services),
    ...toolHandlers(services),
    ...agentHandlers(services),
    ...a2aHandlers(services),
    ...observabilityHandlers(services),
    ...activityHandlers(services),
    ...settingsHandlers(services),
    ...logHandlers(services),
    ...traceHandlers(services),
    ...setupHandlers(services),
    ...updatesHandlers(services),
  }
}
