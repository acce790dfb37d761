export {
  type Elicit,
  type ElicitResult,
  type Sample,
  type SampleContent,
  type SampleRequest,
  type SampleResult,
} from './agent/tools/elicitation.ts'
export { type Agent, type AgentConfig } from './agent/agent.ts'
export {
  type CompletedStep,
  type PreparedStepInput,
  type PrepareStep,
  type StepMessage,
  type StepSettings,
  type StopCondition,
  type ToolChoice,
} from './agent/loop-options.ts'
export { type Budget, type BudgetPer } from './agent/budgets/budget.ts'
export { BudgetExceededError } from './agent/budgets/budget-exceeded-error.ts'
export { type AgentInput, type PerRequest } from './agent/per-request.ts'
export { type ModelName } from './agent/model-object.ts'
export {
  type Guardrail,
  type GuardrailResult,
  type Guardrails,
  type InputGuardrail,
  type OutputGuardrail,
} from './agent/guardrails/guardrail.ts'
export { type RetrievedDocument, type Retriever, type RetrieverRequest } from './agent/retriever.ts'
export { maxLength } from './agent/guardrails/max-length.ts'
export { redactPatterns } from './agent/guardrails/redact-patterns.ts'
export { createAgent } from './agent/create-agent.ts'
export { type ModelPrice } from './agent/prices/model-price.ts'
export { demoModel } from './agent/models/demo/demo-model.ts'
export { createTool } from './agent/tools/create-tool.ts'
export { type Tool, type ToolRunOptions } from './agent/tools/tool.ts'
export { createEval, type Eval, type EvalConfig, type InlineCase } from './evals/eval.ts'
export { type Case, type CaseRule, type CaseRules, type CaseTarget } from './contract/evals/case.ts'
export { equals } from './evals/scorers/output-scorers.ts'
export { maxCost, maxLatency, maxSteps } from './evals/scorers/limits.ts'
export { llmJudge } from './evals/scorers/llm-judge.ts'
export { matchesSchema } from './evals/scorers/output-scorers.ts'
export { type CaseTrace, type Score, type Scored, type Scorer } from './evals/scorers/scorer.ts'
export { contains, similar } from './evals/scorers/output-scorers.ts'
export { toolCalls, type ExpectedToolCall } from './evals/scorers/tool-calls.ts'
export { jwtAuth } from './auth/jwt-auth.ts'
export { type JwtAuthOptions } from './auth/jwt-auth-options.ts'
export { defineConfig, type AgentServerConfig, type OwnApp } from './config/config.ts'
export type { HotContext } from './config/loader/hot-module.ts'
export { persist } from './config/persist.ts'
export { DEFAULT_CONSOLE_ROUTES, DEFAULT_PUBLIC_ROUTES, PROTECTED_ROUTES } from './contract/index.ts'
export {
  type AuthNext,
  type AuthProvider,
  type AuthorizeRequest,
  type Resource,
  type ResourceAction,
  type User,
} from './contract/auth.ts'
export { connectMcpServer } from './mcp/connected/connected-server.ts'
export { type ConnectedServerConfig } from './mcp/connected/connected-config.ts'
export { type McpContent } from './mcp/mcp-content.ts'
export { type McpPrompt } from './mcp/served/served-prompt.ts'
export { type McpResource } from './mcp/served/served-resource.ts'
export { createMcpServer, type McpServerConfig } from './mcp/served/served-server.ts'
export { type Duration } from './lib/duration.ts'
export { type JsonResult } from './lib/json/json-result.ts'
export { type CancelTrigger, type Debounce, type EventTrigger } from './workflow/event-triggers.ts'
export { type EventToSend, type SendEventOptions } from './step/event-to-send.ts'
export { defineEvent, type EventConfig, type EventDefinition } from './step/define-event.ts'
export {
  type Answer,
  type AnswerInput,
  type AnswerOptions,
  type AnswerPart,
  type CompletedAnswer,
  type PendingAnswer,
} from './calls/answer.ts'
export { AnswerBlockedError, ApprovalRequiredError, type CallToApprove } from './calls/answer-errors.ts'
export { cancelExecution } from './calls/executions.ts'
export { type CancelExecutionOptions, type ResumeExecutionOptions } from './calls/current-server.ts'
export { getExecution, type WorkflowExecution } from './calls/executions.ts'
export { type Register } from './calls/register.ts'
export { sendEvent } from './calls/send-event.ts'
export { resumeExecution } from './calls/executions.ts'
export { startWorkflow } from './calls/executions.ts'
export { type StreamedAnswer } from './calls/streamed-answer.ts'
export { type StartOptions, type StartedWorkflow, type WorkflowResult } from './calls/start.ts'
export { createSchedule } from './workflow/schedule/create-schedule.ts'
export { type Schedule, type ScheduleConfig } from './workflow/schedule/schedule.ts'
export { type StartContext } from './workflow/limits.ts'
export { createWorkflow } from './workflow/create-workflow.ts'
export { NonRetryableError, type Retries } from './step/retry.ts'
export {
  type AgentCallOptions,
  type AgentCallResult,
  type CallContext,
  type CallOptions,
  type StepRunOptions,
  type StepCalls,
  type SuspendNotice,
  type SuspendOptions,
  type WaitForEventOptions,
  type WorkflowCallOptions,
} from './step/step-calls.ts'
export { DuplicateStepError, StepError, SuspendTimeoutError, UnstableIdsError } from './step/step-errors.ts'
export {
  type FunctionConfig,
  type FunctionContext,
  type FunctionWorkflow,
} from './workflow/function-workflow.ts'
export { type Compensate, type CompensationContext } from './step/compensation.ts'
export { type EndHook, type EndedExecution, type HookCalls } from './workflow/hooks.ts'
export { type StepContext } from './workflow/step-context.ts'
export { type Step } from './workflow/step.ts'
export { andAgent } from './workflow/steps/and-agent.ts'
export { andAll } from './workflow/steps/and-all.ts'
export { andBranch } from './workflow/steps/and-branch.ts'
export { andDoUntil } from './workflow/steps/and-do-until.ts'
export { andDoWhile } from './workflow/steps/and-do-while.ts'
export { andForEach } from './workflow/steps/and-for-each.ts'
export { andRace } from './workflow/steps/and-race.ts'
export { andSleep } from './workflow/steps/and-sleep.ts'
export { andSleepUntil } from './workflow/steps/and-sleep-until.ts'
export { andTap } from './workflow/steps/and-tap.ts'
export { andThen } from './workflow/steps/and-then.ts'
export { andTry } from './workflow/steps/and-try.ts'
export { andWaitForEvent } from './workflow/steps/and-wait-for-event.ts'
export { andWhen } from './workflow/steps/and-when.ts'
export { andWorkflow } from './workflow/steps/and-workflow.ts'
export { LoopLimitError } from './workflow/loop.ts'
export { type SocketContext, type SocketHandler } from './contract/channels.ts'
export { type Chain, type FailedData, type StepFailureFacts, type Workflow } from './workflow/workflow.ts'
