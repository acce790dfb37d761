import type { Handlers } from '../bind.ts'
import type { Services } from '../services.ts'
import { a2aHandlers } from './a2a.ts'
import { agUiHandlers } from './ag-ui.ts'
import { usageHandlers } from './usage.ts'
import { workingMemoryHandlers } from './agents/working-memory.ts'
import { conversationHandlers } from './agents/conversation.ts'
import { labHandlers } from './agents/lab.ts'
import { pendingApprovalHandlers } from './agents/pending-approvals.ts'
import { agentHandlers } from './agent.ts'
import { chatHandlers } from './agents/chat.ts'
import { pageHandlers } from './pages.ts'
import { failureHandlers } from './failures.ts'
import { executionHandlers } from './execution.ts'
import { healthHandlers } from './health.ts'
import { linkHandlers } from './link.ts'
import { logHandlers } from './log.ts'
import type { Dispatch } from './mcp/coding-endpoint.ts'
import { mcpHandlers } from './mcp/mcp.ts'
import { openaiHandlers } from './openai.ts'
import { observabilityHandlers } from './observability.ts'
import { searchHandlers } from './search.ts'
import { settingsHandlers } from './settings.ts'
import { erasureHandlers } from './erasure.ts'
import { evalHandlers } from './project/evals.ts'
import { keptCaseHandlers } from './project/kept-cases.ts'
import { pinHandlers } from './project/pins.ts'
import { setupHandlers } from './project/setup.ts'
import { scheduleHandlers } from './schedule.ts'
import { statisticsHandlers } from './statistics.ts'
import { toolHandlers } from './tool.ts'
import { traceHandlers } from './trace.ts'
import { updatesHandlers } from './project/updates.ts'
import { waitingHandlers } from './waiting.ts'
import { workflowHandlers } from './workflow.ts'

/** The handlers of all endpoints; a missing one is a compile error. `dispatch` makes a request to the app. */
export function handlersFor(services: Services, dispatch: Dispatch): Handlers {
  return {
    ...pageHandlers(services),
    ...healthHandlers(services),
    ...linkHandlers(services),
    ...executionHandlers(services),
    ...workflowHandlers(services),
    ...scheduleHandlers(services),
    ...mcpHandlers(services, dispatch),
    ...toolHandlers(services),
    ...agentHandlers(services),
    ...conversationHandlers(services),
    ...workingMemoryHandlers(services),
    ...chatHandlers(services),
    ...pendingApprovalHandlers(services),
    ...labHandlers(services),
    ...a2aHandlers(services),
    ...openaiHandlers(services),
    ...agUiHandlers(services),
    ...observabilityHandlers(services),
    ...usageHandlers(services),
    ...failureHandlers(services),
    ...statisticsHandlers(services),
    ...searchHandlers(services),
    ...settingsHandlers(services),
    ...erasureHandlers(services),
    ...logHandlers(services),
    ...traceHandlers(services),
    ...pinHandlers(services),
    ...keptCaseHandlers(services),
    ...evalHandlers(services),
    ...setupHandlers(services),
    ...updatesHandlers(services),
    ...waitingHandlers(services),
  }
}
