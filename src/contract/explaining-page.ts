import type { ExecutionError } from './event.ts'
import type { LoadFailure } from './load-failure.ts'

const TROUBLESHOOTING = 'docs/troubleshooting.md'

/** The part of the documentation that explains why the project failed to load: a path in the package, with an anchor. */
export function pageOfLoadFailure({ name, message }: Pick<LoadFailure, 'name' | 'message'>): string {
  if (name === 'ResolveError') return `${TROUBLESHOOTING}#import-not-found`
  if (name !== 'ConfigError') return 'docs/guides/hot-reload.md#errors'
  const isMissing = message.includes('no default export')
  return `${TROUBLESHOOTING}#${isMissing ? 'no-default-export' : 'invalid-configuration'}`
}

/** The pages of errors of executions by the name of the error. */
const PAGES: Readonly<Record<string, string>> = {
  NotJsonError: `${TROUBLESHOOTING}#result-is-not-json`,
  CrashLoopError: `${TROUBLESHOOTING}#step-crashes-the-server`,
  StepTimeoutError: 'docs/guides/retries-and-idempotency.md#retries',
  WorkflowTimeoutError: 'docs/guides/workflows.md',
  EventTimeoutError: 'docs/guides/events.md',
  BudgetExceededError: 'docs/guides/costs.md#budgets',
  ApprovalRequiredError: 'docs/guides/approvals.md',
  LoopLimitError: 'docs/reference/steps.md',
  DuplicateStepError: 'docs/guides/functions.md',
  UnstableIdsError: 'docs/guides/functions.md',
}

/** The same for an execution that failed. */
export function pageOfRunError({ name }: Pick<ExecutionError, 'name'>): string {
  return PAGES[name] ?? `${TROUBLESHOOTING}#execution-failed`
}
