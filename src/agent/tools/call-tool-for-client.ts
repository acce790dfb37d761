import { byWhom } from '../../contract/access/decision.ts'
import type { Decision } from '../../contract/access/decision.ts'
import { AppError, messageOf } from '../../lib/errors.ts'
import { NO_TRACE } from '../../lib/telemetry/trace-scope.ts'
import { UNRECORDED_CALLS } from '../../step/unrecorded-calls.ts'
import { compileSchema } from '../../lib/schema/schema.ts'
import { clientToolError, validateInput, executeTool } from './call-tool.ts'
import { unheard } from './tool-reports.ts'
import { withToolSpan } from './tool-span.ts'
import { isClientTool } from './tool.ts'
import type { Tool, ToolContext } from './tool.ts'

/** Options of {@link callToolForClient}. */
export interface CallToolOptions {
  /** Throws unless the client may call the tool. */
  readonly checkCall: (tool: Tool) => void
  readonly context: Omit<ToolContext, 'step' | 'write'>
  /** The approval of the call, if somebody has given it. */
  readonly approval?: Decision | undefined
  /** Requests the approval that the call needs. Returns the input, which may be edited; `undefined`: denied. */
  readonly requestApproval?: ((input: unknown) => Promise<ApprovedInput | undefined>) | undefined
}

export interface ApprovedInput {
  readonly input: unknown
  readonly approval: Decision
}

/**
 * Calls a tool for an external client, without exposing internal errors.
 *
 * @throws AppError what `checkCall` throws; `invalid_input` naming the field; `conflict` when the call needs approval; `unavailable` when the
 *   MCP server of the tool cannot be reached; otherwise `execution_failed`, with the error as its cause.
 */
export async function callToolForClient(
  tool: Tool,
  input: unknown,
  options: CallToolOptions,
): Promise<unknown> {
  const { name, description } = tool
  const { context, checkCall } = options
  const { userId, conversationId } = context
  checkCall(tool)
  const traced = { name, description, input, userId, conversationId }
  return withToolSpan(context.trace ?? NO_TRACE, traced, (trace) =>
    callIfApproved(tool, input, {
      ...options,
      context: { ...context, step: UNRECORDED_CALLS, write: unheard, trace },
    }),
  )
}

async function callIfApproved(
  tool: Tool,
  input: unknown,
  options: Omit<CallToolOptions, 'checkCall' | 'context'> & { readonly context: ToolContext },
): Promise<unknown> {
  const { context, approval, requestApproval } = options
  if (isClientTool(tool)) throw clientToolError(tool)
  const validInput = await validateInput(tool, input)
  if (approval) {
    const { userId: decidedBy, by: decidedAs, over: decidedOver } = approval
    context.logger.info(
      { decidedBy, decidedAs, decidedOver },
      `Tool call approved${byWhom(decidedBy, decidedAs, decidedOver)}`,
    )
  }
  try {
    if (approval || !(await tool.needsApproval(validInput, context)))
      return await executeTool(tool, validInput, context)
  } catch (error) {
    if (error instanceof AppError && error.code === 'unavailable') throw error
    throw new AppError('execution_failed', `Tool "${tool.name}" failed`, { cause: error })
  }
  if (!requestApproval) throw new AppError('conflict', `Tool "${tool.name}" needs approval`)
  const decision = await requestApproval(input)
  if (!decision) throw new AppError('conflict', `The call of tool "${tool.name}" was denied`)
  return callIfApproved(tool, decision.input, { context, approval: decision.approval })
}

/**
 * Compiles the schemas of a tool when the configuration is loaded, so that invalid ones are reported then.
 *
 * @throws AppError `invalid_config` naming the tool.
 */
export function compileTool({ name, inputSchema, outputSchema }: Tool): void {
  try {
    compileSchema(inputSchema)
    if (outputSchema) compileSchema(outputSchema)
  } catch (cause) {
    throw new AppError('invalid_config', `tool "${name}": ${messageOf(cause)}`, { cause })
  }
}
