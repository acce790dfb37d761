export { ApiError } from './api-error.ts'
export { type AnswerOf, type CallOf } from './call.ts'
export {
  type AgentAskOptions,
  type AgentClient,
  type ClientAnswer,
  type ConversationClient,
} from './agent-client.ts'
export { type ApiClient, type ClientOptions } from './api.ts'
export { createClient, type Client, type ToolClient } from './create-client.ts'
export {
  type ExecutionClient,
  type Settled,
  type ExecuteCallOptions,
  type TypedEvent,
  type WorkflowClient,
} from './workflow-client.ts'
export { type ConfigTypes as ClientConfig } from '../calls/workflow-types.ts'
export { type ExecutionEvent, type ExecutionResult } from '../contract/event.ts'
export {
  type ExecutionDetail,
  type ExecutionRecord,
  type ExecutionState,
} from '../contract/endpoints/execution.ts'
export { type WorkflowDetail, type WorkflowSummary } from '../contract/endpoints/workflow.ts'
