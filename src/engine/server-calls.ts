import { z } from 'zod'
import { CODE_DECIDES } from '../contract/access/decision.ts'
import { ExecutionOptions, SendEventBody } from '../contract/endpoints/workflow.ts'
import { Id } from '../contract/fields.ts'
import { SuspendedStep, type ExecutionResult } from '../contract/event.ts'
import { AppError } from '../lib/errors.ts'
import { formatIssues } from '../lib/schema/schema.ts'
import { readIssues } from '../lib/schema/standard-validation.ts'
import type { TraceScope } from '../lib/telemetry/trace-scope.ts'
import type { ServerCalls } from '../workflow/calls/current-server.ts'
import type { Engine } from './engine.ts'
import { failedResult } from './record/result.ts'

const StartOptions = ExecutionOptions.extend({
  priority: z.number().optional(),
  ifExists: z.enum(['fail', 'same']).default('fail'),
}).refine(({ ifExists, executionId }) => ifExists === 'fail' || executionId !== undefined, {
  path: ['executionId'],
  message: 'Required with ifExists',
})

/**
 * The calls of user code on an engine.
 *
 * @param engine throws AppError `unavailable` while the server can't start executions
 * @param traceOf the scope for the span of an execution that code starts now; `undefined` for a trace of its own
 */
export function serverCalls(
  engine: () => Pick<Engine, 'executions'>,
  traceOf: () => TraceScope | undefined,
): ServerCalls {
  return {
    start: async (workflowId, input, given) => {
      const { executions } = engine()
      const { userId, ifExists, executionId: id, ...others } = valid(StartOptions, given, 'options')
      const options = { ...others, userId, ownerId: userId, origin: 'code', trace: traceOf() } as const
      const started =
        ifExists === 'same' && id !== undefined
          ? await executions.startOnce(workflowId, input, { ...options, executionId: id })
          : await executions.execute(workflowId, input, { ...options, executionId: id })
      await started.stored()
      const { executionId } = started
      return { executionId, result: () => settled(started.result(), { executions, executionId }) }
    },
    sendEvent: async (event) => engine().executions.sendEvent(valid(SendEventBody, event, 'event')),
    resumeExecution: async (execution, resumeData, options) => {
      const { executions } = engine()
      const step = valid(SuspendedStep, options, 'options')
      valid(Id, execution.workflowId, 'workflowId')
      const executionId = valid(Id, execution.executionId, 'executionId')
      const resumed = executions.resume(execution, resumeData, { ...step, decider: CODE_DECIDES })
      return settled(resumed, { executions, executionId })
    },
  }
}

function valid<S extends z.ZodType>(schema: S, value: unknown, name: string): z.infer<S> {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  throw new AppError('invalid_input', formatIssues(readIssues(error.issues, value, 'zod'), name))
}

/** The result of an execution, also when it has failed. */
async function settled(
  result: Promise<ExecutionResult>,
  { executions, executionId }: Pick<Engine, 'executions'> & { readonly executionId: string },
): Promise<ExecutionResult> {
  try {
    return await result
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'execution_failed') throw error
    return failedResult(await executions.find({ executionId }))
  }
}
