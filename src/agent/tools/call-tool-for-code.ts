import { ApprovalRequiredError } from '../../calls/answer-errors.ts'
import { callingPart, currentServer } from '../../calls/current-server.ts'
import { AppError, messageOf } from '../../lib/errors.ts'
import { abortable } from '../../lib/async/abortable.ts'
import { requireObject } from '../../lib/require-object.ts'
import { UNRECORDED_CALLS } from '../../step/unrecorded-calls.ts'
import { clientToolError, executeTool, validateInput } from './call-tool.ts'
import { unheard } from './tool-reports.ts'
import { withToolSpan } from './tool-span.ts'
import { isClientTool } from './tool.ts'
import type { Tool, ToolContext, ToolRunOptions } from './tool.ts'

/**
 * Calls a tool for the project's code. Errors of the tool are rethrown.
 *
 * @throws as `tool.run()` of {@link ExecutableTool}
 */
export async function callToolForCode(
  tool: Tool,
  input: unknown,
  options: ToolRunOptions = {},
): Promise<unknown> {
  requireOptions(options)
  const { userId, conversationId, context = {}, signal: given, approve = false } = options
  const { logger, trace } = currentServer('tool.run()').telemetry()
  const signal = signalOf(given)
  signal.throwIfAborted()
  const { name, description } = tool
  const call = withToolSpan(trace, { name, description, input, userId, conversationId }, async (span) => {
    if (isClientTool(tool)) throw clientToolError(tool)
    const validInput = await validateInput(tool, input)
    const toolContext: ToolContext = {
      signal,
      context,
      userId,
      user: undefined,
      conversationId,
      logger: logger.child({ toolName: name, ...span.spanIds }),
      step: UNRECORDED_CALLS,
      write: unheard,
      trace: span,
    }
    if (!approve && (await tool.needsApproval(validInput, toolContext)))
      throw new ApprovalRequiredError(
        `The call of tool "${name}" needs approval. Pass approve: true if your code may approve it`,
        [{ toolName: name, input: validInput }],
      )
    return executeTool(tool, validInput, toolContext)
  })
  return abortable(call, signal)
}

/** Aborts with the caller's signal, and with the step or tool that calls. */
function signalOf(given: AbortSignal | undefined): AbortSignal {
  const signals = [given, callingPart()?.signal].filter((signal) => signal !== undefined)
  return signals.length === 1 && signals[0] ? signals[0] : AbortSignal.any(signals)
}

const OPTIONS = {
  userId: 'string',
  conversationId: 'string',
  context: 'object',
  signal: 'object',
  approve: 'boolean',
} as const

/** @throws AppError `invalid_input` naming the option. */
function requireOptions(options: ToolRunOptions): void {
  try {
    requireObject('tool.run', 'options', options, OPTIONS)
    if (options.signal === undefined || options.signal instanceof AbortSignal) return
  } catch (cause) {
    throw new AppError('invalid_input', messageOf(cause), { cause })
  }
  throw new AppError('invalid_input', 'tool.run(): options.signal must be an AbortSignal')
}
