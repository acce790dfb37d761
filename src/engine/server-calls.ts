import type { Logger } from 'pino'
import { z } from 'zod'
import { callingPart } from '../calls/current-server.ts'
import type { ServerCalls } from '../calls/current-server.ts'
import { CODE_DECIDES } from '../contract/access/decision.ts'
import { ExecutionOptions, SendEventBody } from '../contract/endpoints/workflow.ts'
import { Id } from '../contract/fields.ts'
import { SuspendedStep } from '../contract/event.ts'
import type { ExecutionResult } from '../contract/event.ts'
import { AppError } from '../lib/errors.ts'
import type { TraceScope } from '../lib/telemetry/trace-scope.ts'
import { agentCalls } from './agents/code-calls.ts'
import type { Engine } from './engine.ts'
import { failedResult } from './record/result.ts'
import { validArgument } from './valid-argument.ts'

const StartOptions = ExecutionOptions.extend({
  priority: z.number().optional(),
  ifExists: z.enum(['fail', 'same']).default('fail'),
}).refine(({ ifExists, executionId }) => ifExists === 'fail' || executionId !== undefined, {
  path: ['executionId'],
  message: 'Required with ifExists',
})

const CancelOptions = z.object({ reason: z.string().optional(), force: z.boolean().optional() })

export interface ServerCallsDeps {
  /** Throws AppError `unavailable` while the server can't start executions. */
  readonly engine: () => Pick<Engine, 'executions' | 'queries' | 'agents'>
  /** The scope for the span of an execution that code starts now; `undefined` for a trace of its own. */
  readonly traceOf: () => TraceScope | undefined
  /** The scope for the span of what code calls now: that of the request, if it has one. */
  readonly trace: () => TraceScope
  readonly logger: Logger
}

/** The calls of user code on an engine. */
export function serverCalls({ engine, traceOf, trace, logger }: ServerCallsDeps): ServerCalls {
  const scope = () => callingPart()?.trace ?? traceOf() ?? trace()
  return {
    start: async (workflowId, input, given) => {
      const { executions } = engine()
      const { userId, ifExists, executionId: id, ...others } = validArgument(StartOptions, given, 'options')
      validArgument(Id, workflowId, 'workflowId')
      const options = { ...others, userId, ownerId: userId, origin: 'code', trace: traceOf() } as const
      const started =
        ifExists === 'same' && id !== undefined
          ? await executions.startOnce(workflowId, input, { ...options, executionId: id })
          : await executions.execute(workflowId, input, { ...options, executionId: id })
      await started.stored()
      const { executionId } = started
      return { executionId, result: () => settled(started.result(), { executions, executionId }) }
    },
    sendEvent: async (event) => engine().executions.sendEvent(validArgument(SendEventBody, event, 'event')),
    resumeExecution: async (execution, resumeData, options) => {
      const { executions } = engine()
      const step = validArgument(SuspendedStep, options, 'options')
      const { executionId } = validExecution(execution)
      const resumed = executions.resume(execution, resumeData, { ...step, decider: CODE_DECIDES })
      return settled(resumed, { executions, executionId })
    },
    cancelExecution: async (execution, options) => {
      const { executions } = engine()
      const { reason, force } = validArgument(CancelOptions, options, 'options')
      return executions.cancel(validExecution(execution), reason, { force })
    },
    getExecution: async (execution) => {
      const { executions, queries } = engine()
      return queries.detail(await executions.find(validExecution(execution)))
    },
    ...agentCalls(() => engine().agents, scope),
    telemetry: () => ({ logger, trace: scope() }),
  }
}

type Execution = Parameters<ServerCalls['getExecution']>[0]

function validExecution(execution: Execution): Execution {
  validArgument(Id, execution.workflowId, 'workflowId')
  validArgument(Id, execution.executionId, 'executionId')
  return execution
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
