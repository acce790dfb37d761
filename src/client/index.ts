export { ApiError } from './api-error.ts'
export { createClient, type AnswerOf, type CallOf, type Client, type ClientOptions } from './create-client.ts'
export { type ExecutionEvent, type ExecutionResult } from '../contract/event.ts'
export {
  type ExecutionDetail,
  type ExecutionRecord,
  type ExecutionState,
} from '../contract/endpoints/execution.ts'
export { type WorkflowDetail, type WorkflowSummary } from '../contract/endpoints/workflow.ts'
