import { callingPart, enterPart } from '../../calls/current-server.ts'
import { AppError } from '../../lib/errors.ts'
import { NotJsonError, toJson } from '../../lib/json/to-json.ts'
import { compileSchema, formatIssues } from '../../lib/schema/schema.ts'
import type { JsonSchema } from '../../lib/schema/schema.ts'
import { isClientTool } from './tool.ts'
import type { Tool, ToolContext } from './tool.ts'
import { isAsyncIterable, lastResult } from './tool-span.ts'
import { ToolReports } from './tool-reports.ts'

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
  if (isClientTool(tool)) throw clientToolError(tool)
  const { signal, trace } = context
  const reports = new ToolReports(tool.name, context)
  const call = async () => {
    try {
      const result: unknown = tool.execute?.(input, reports.context)
      const last = isAsyncIterable(result) ? lastResult(result, reports.context) : result
      return await validateResult(tool, await last)
    } finally {
      reports.end()
    }
  }
  if (!trace) return call()
  // what the tool asks agents for is a part of it, and of the step for which it runs
  const { place, traceId = trace.spanIds?.traceId } = callingPart() ?? {}
  return enterPart({ signal, trace, traceId, place }, call)
}

/** The error of a call of a tool without `execute` for a client that can't execute it. */
export function clientToolError({ name }: Tool): AppError {
  return new AppError(
    'invalid_input',
    `Tool "${name}" has no execute: its calls are executed by the clients of /chat and of andAgent steps`,
  )
}

/**
 * A sub-agent called a tool without `execute` in an answer that has no client. Only the project's code can change that, so
 * that it fails the answer instead of being returned to the model.
 */
export class SubAgentClientToolError extends AppError {
  override readonly name = 'SubAgentClientToolError'

  constructor({ askedBy, subAgent, tool }: { askedBy: string; subAgent: string; tool: string }) {
    super(
      'execution_failed',
      `Agent "${askedBy}" asked its sub-agent "${subAgent}", which called the tool "${tool}": it has no execute, and this answer has no client that could execute it. Ask "${askedBy}" over /chat or in an andAgent step, or give "${tool}" an execute function`,
    )
  }
}

/**
 * Validates the input and returns it as transformed by the tool's schema.
 *
 * @throws AppError `invalid_input` naming the field.
 */
export async function validateInput(tool: Tool, input: unknown, path = 'input'): Promise<unknown> {
  const validation = await compileSchema(tool.inputSchema).validate(input)
  if (validation.ok) return validation.value
  throw new AppError('invalid_input', formatIssues(validation.issues, path))
}

/**
 * Validates the output that the client of a tool sent.
 *
 * @throws AppError `invalid_input` naming the field.
 */
export async function validateClientOutput(
  { outputSchema }: Tool,
  output: unknown,
  path: string,
): Promise<unknown> {
  if (outputSchema === undefined) return output
  const validation = await compileSchema(outputSchema).validate(output)
  if (validation.ok) return validation.value
  throw new AppError('invalid_input', formatIssues(validation.issues, path))
}

/**
 * Validates the data of a form that a tool requested.
 *
 * @throws AppError `invalid_input` naming the field.
 */
export async function validateForm(schema: JsonSchema, data: unknown, path: string): Promise<void> {
  const validation = await compileSchema(schema).validate(data ?? {})
  if (!validation.ok) throw new AppError('invalid_input', formatIssues(validation.issues, path))
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
