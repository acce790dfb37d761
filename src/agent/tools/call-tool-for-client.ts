import { AppError, messageOf } from '../../lib/errors.ts'
import { NO_TRACE } from '../../lib/telemetry/trace-scope.ts'
import { compileSchema } from '../../lib/schema/schema.ts'
import { checkInput, runChecked } from './call-tool.ts'
import { withToolSpan } from './tool-span.ts'
import type { Tool, ToolContext } from './tool.ts'

export interface ExecuteToolOptions {
  readonly context: ToolContext
  /** A person agreed to what a tool does that needs approval. */
  readonly approved: boolean
}

/**
 * Runs a tool for a caller outside, who is not told what went wrong inside it.
 *
 * @throws AppError `invalid_input` naming the field; `conflict` when it needs approval and has none;
 *   `unavailable` when the server it is from can't be reached; else `execution_failed`, with the cause.
 */
export function executeTool(tool: Tool, input: unknown, options: ExecuteToolOptions): Promise<unknown> {
  const { name, description } = tool
  const { context } = options
  const { userId, conversationId } = context
  const traced = { name, description, input, userId, conversationId }
  return withToolSpan(context.trace ?? NO_TRACE, traced, (trace) =>
    execute(tool, input, { ...options, context: { ...context, trace } }),
  )
}

async function execute(
  tool: Tool,
  input: unknown,
  { context, approved }: ExecuteToolOptions,
): Promise<unknown> {
  const checked = await checkInput(tool, input)
  try {
    if (approved || !(await tool.needsApproval(checked, context)))
      return await runChecked(tool, checked, context)
  } catch (error) {
    if (error instanceof AppError && error.code === 'unavailable') throw error
    throw new AppError('execution_failed', `Tool "${tool.name}" failed`, { cause: error })
  }
  throw new AppError('conflict', `Tool "${tool.name}" needs a person's approval`)
}

/**
 * Makes a tool's schemas ready, so that one which can't be used is told when the configuration is loaded.
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
