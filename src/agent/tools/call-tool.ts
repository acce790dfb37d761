import { AppError } from '../../lib/errors.ts'
import { NotJsonError, toJson } from '../../lib/json/index.ts'
import { compileSchema, formatIssues } from '../../lib/schema/schema.ts'
import type { Tool, ToolContext } from './tool.ts'

/**
 * Runs a tool with both its schemas applied. The result is JSON; nothing returned becomes `null`.
 *
 * @throws AppError `invalid_input` when the input doesn't fit, naming the field; `execution_failed` when the
 *   result doesn't. What the tool itself throws is passed on.
 */
export async function runTool(tool: Tool, input: unknown, context: ToolContext): Promise<unknown> {
  return runChecked(tool, await checkInput(tool, input), context)
}

/** As {@link runTool}, for input that was checked already. */
export async function runChecked(tool: Tool, input: unknown, context: ToolContext): Promise<unknown> {
  return checkResult(tool, await tool.execute(input, context))
}

/**
 * The input as the tool's schema made it.
 *
 * @throws AppError `invalid_input`.
 */
export async function checkInput(tool: Tool, input: unknown): Promise<unknown> {
  const checked = await compileSchema(tool.inputSchema).validate(input)
  if (checked.ok) return checked.value
  throw new AppError('invalid_input', formatIssues(checked.issues, 'input'))
}

async function checkResult(tool: Tool, result: unknown): Promise<unknown> {
  const json = asJson(tool, result)
  if (tool.outputSchema === undefined) return json
  const checked = await compileSchema(tool.outputSchema).validate(json)
  if (checked.ok) return asJson(tool, checked.value)
  throw unfit(tool, formatIssues(checked.issues, 'result'))
}

function asJson(tool: Tool, result: unknown): unknown {
  try {
    return JSON.parse(toJson(result, 'result')) as unknown
  } catch (error) {
    if (error instanceof NotJsonError) throw unfit(tool, error.message, error)
    throw error
  }
}

function unfit(tool: Tool, reason: string, cause?: Error): AppError {
  const message = `Tool "${tool.name}" returned what it may not: ${reason}`
  return new AppError('execution_failed', message, { cause })
}
