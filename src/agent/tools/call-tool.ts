import { AppError } from '../../lib/errors.ts'
import { NotJsonError, toJson } from '../../lib/json/to-json.ts'
import { compileSchema, formatIssues } from '../../lib/schema/schema.ts'
import type { Tool, ToolContext } from './tool.ts'

/**
 * Validates the input, calls the tool and validates its result. The result is a JSON value; `undefined` becomes
 * `null`. Errors thrown by the tool are rethrown.
 *
 * @throws AppError `invalid_input` naming the field when the input does not match the schema; `execution_failed`
 *   when the result does not.
 */
export async function callTool(tool: Tool, input: unknown, context: ToolContext): Promise<unknown> {
  return executeTool(tool, await validateInput(tool, input), context)
}

/** Like {@link callTool}, for validated input. */
export async function executeTool(tool: Tool, input: unknown, context: ToolContext): Promise<unknown> {
  return validateResult(tool, await tool.execute(input, context))
}

/**
 * Validates the input and returns it as transformed by the tool's schema.
 *
 * @throws AppError `invalid_input` naming the field.
 */
export async function validateInput(tool: Tool, input: unknown): Promise<unknown> {
  const validation = await compileSchema(tool.inputSchema).validate(input)
  if (validation.ok) return validation.value
  throw new AppError('invalid_input', formatIssues(validation.issues, 'input'))
}

async function validateResult(tool: Tool, result: unknown): Promise<unknown> {
  const json = toJsonValue(tool, result)
  if (tool.outputSchema === undefined) return json
  const validation = await compileSchema(tool.outputSchema).validate(json)
  if (validation.ok) return toJsonValue(tool, validation.value)
  throw invalidResult(tool, formatIssues(validation.issues, 'result'))
}

function toJsonValue(tool: Tool, result: unknown): unknown {
  try {
    return JSON.parse(toJson(result, 'result')) as unknown
  } catch (error) {
    if (error instanceof NotJsonError) throw invalidResult(tool, error.message, error)
    throw error
  }
}

function invalidResult(tool: Tool, reason: string, cause?: Error): AppError {
  const message = `Tool "${tool.name}" returned an invalid result: ${reason}`
  return new AppError('execution_failed', message, { cause })
}
