import type { Logger } from 'pino'
import type { Elicit } from '../../../agent/tools/elicitation.ts'
import type { CallerAccess } from '../../../auth/caller-access.ts'
import type { User } from '../../../contract/auth.ts'
import type { ExecutionResult, ResumedExecution } from '../../../contract/event.ts'
import type { Executions } from '../../../engine/executions/executions.ts'
import { resumeSchemaOf } from '../../../engine/record/result.ts'
import type { TraceScope } from '../../../lib/telemetry/trace-scope.ts'
import { resumeForm } from '../../../mcp/served/resume-form.ts'
import type { ResumeRequest } from '../../../mcp/served/served-tool.ts'
import { formMessage } from './form-message.ts'
import { userToAsk } from './mcp-approvals.ts'
import type { WorkflowDefinition } from '../../../workflow/definition.ts'

interface McpExecutionsDeps {
  readonly executions: Executions
  readonly access: CallerAccess
  readonly user: User | undefined
  /** Aborts when the client cancels its request. */
  readonly cancelled: AbortSignal
  readonly logger: Logger
}

interface ClientCall {
  readonly trace: TraceScope
  /** Defined when the client can show forms to its user. */
  readonly elicit: Elicit | undefined
}

/**
 * Executions that an MCP client starts and resumes. They continue when the client disconnects, and are cancelled when it
 * cancels its request. While one is suspended in a step with a resume schema, the user of the client is shown a form for
 * the resume data.
 */
export class McpExecutions {
  readonly #deps: McpExecutionsDeps

  constructor(deps: McpExecutionsDeps) {
    this.#deps = deps
  }

  async execute(
    { id, name }: WorkflowDefinition,
    input: unknown,
    call: ClientCall,
  ): Promise<ExecutionResult> {
    const { executions, access, user } = this.#deps
    await access.to('execute', 'workflow', id)
    const { executionId, result } = await executions.execute(id, input, { user, trace: call.trace })
    return this.#cancellable(executionId, async () => this.#withForms(await result(), name, call))
  }

  async resume(
    { id: workflowId, name }: WorkflowDefinition,
    { executionId, resumeData, stepId }: ResumeRequest,
    call: ClientCall,
  ): Promise<ExecutionResult | ResumedExecution> {
    const { executions, access } = this.#deps
    const ref = { workflowId, executionId }
    return this.#cancellable(executionId, async () => {
      const options = { stepId, decider: access.decider, trace: call.trace }
      const result = await access.readableResult(await executions.resume(ref, resumeData, options))
      // its suspension is not shown either
      return 'result' in result ? this.#withForms(result, name, call) : result
    })
  }

  /** Resumes an execution with the data of forms until it ends, or until the user does not accept a form. */
  async #withForms(result: ExecutionResult, name: string, call: ClientCall): Promise<ExecutionResult> {
    const { executions, access } = this.#deps
    const { executionId, suspension } = result
    if (!suspension) return result
    const schema = resumeSchemaOf(await executions.find({ executionId }))
    const form = schema && resumeForm(schema)
    const asked = form && (await userToAsk(call.elicit, access.decider, { kind: 'execution', executionId }))
    if (!asked) return result
    const answer = await asked
      .elicit({ message: formMessage(name, suspension), schema: form.schema })
      .catch((error: unknown) => {
        // the execution stays suspended: the tool resume_<id> can continue it
        this.#deps.logger.info({ err: error, executionId }, 'A form for resume data was not answered')
      })
    if (answer?.action !== 'accept') return result
    const { stepId } = suspension
    const options = { stepId, decider: access.decider, trace: call.trace }
    return this.#withForms(
      await executions.resume({ executionId }, form.unwrap(answer.content), options),
      name,
      call,
    )
  }

  async #cancellable<T>(executionId: string, run: () => Promise<T>): Promise<T> {
    const { executions, access, cancelled, user, logger } = this.#deps
    const cancel = () =>
      void access
        .toExecution('cancel', { executionId })
        .then(() => executions.cancel({ executionId }, 'Cancelled by the MCP client', { user }))
        .catch((error: unknown) => {
          logger.debug({ err: error, executionId }, 'An execution could not be cancelled')
        })
    cancelled.addEventListener('abort', cancel, { once: true })
    return run().finally(() => cancelled.removeEventListener('abort', cancel))
  }
}
