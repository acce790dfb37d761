import type * as Mcp from '@modelcontextprotocol/server'
import type {
  Elicit,
  ElicitRequest,
  Sample,
  SampleRequest,
  SampleResult,
} from '../../../agent/tools/elicitation.ts'
import type { ToolContext } from '../../../agent/tools/tool.ts'
import { AppError } from '../../../lib/errors.ts'
import { compileSchema, formatIssues } from '../../../lib/schema/schema.ts'
import type { InferOutput, Schema } from '../../../lib/schema/schema.ts'
import type { ClientCapabilities } from './client-capabilities.ts'

/** A request from a server to its client: `elicitation/create` or `sampling/createMessage`. */
export type ClientRequest = Mcp.InputRequest

export interface ClientRequestOptions {
  readonly mcp: typeof Mcp
  readonly capabilities: ClientCapabilities
  /** Resolves with the `result` of the client's response. */
  readonly send: (request: ClientRequest, timeoutMs: number) => Promise<unknown>
}

/** People need minutes, and each request blocks a tool. */
const DEFAULT_TIMEOUT_MS = 5 * 60_000
const MAX_TIMEOUT_MS = 60 * 60_000

/** The functions of a tool's context that send requests to its client: only those the client supports. */
export function clientRequestFunctions(
  options: ClientRequestOptions,
): Pick<ToolContext, 'elicit' | 'sample'> {
  const { elicit, sample } = options.capabilities
  return {
    ...(elicit && { elicit: elicitFunction(options) }),
    ...(sample && { sample: sampleFunction(options) }),
  }
}

function elicitFunction({ mcp, send }: ClientRequestOptions): Elicit {
  return async <S extends Schema>({ message, schema, timeoutMs }: ElicitRequest<S>) => {
    const request = mcp.inputRequired.elicit({ message, requestedSchema: formSchema(schema) })
    const { action, content } = validated(
      mcp.specTypeSchemas.ElicitResult,
      await send(request, clampTimeout(timeoutMs)),
    )
    if (action !== 'accept') return { action }
    const form = await compileSchema(schema).validate(content ?? {})
    if (!form.ok) throw invalidResponse(formatIssues(form.issues, 'content'))
    return { action, content: form.value as InferOutput<S> }
  }
}

/** The SDK requires a Standard Schema with a JSON Schema, and derives the form from it. */
function formSchema(schema: Schema): Mcp.StandardSchemaWithJSON<Record<string, unknown>> {
  const { input } = compileSchema(schema)
  const vendor =
    '~standard' in schema ? (schema as { '~standard': { vendor: string } })['~standard'].vendor : 'json'
  const validate = (value: unknown) => ({ value: value as Record<string, unknown> })
  const jsonSchema = { input: () => input, output: () => input }
  return { '~standard': { version: 1, vendor, validate, jsonSchema } }
}

function sampleFunction({ mcp, send }: ClientRequestOptions): Sample {
  return async ({ timeoutMs, ...params }: SampleRequest): Promise<SampleResult> => {
    const request = mcp.inputRequired.createMessage(params as Mcp.CreateMessageRequestParams)
    const result = await send(request, clampTimeout(timeoutMs))
    const { role, content, model, stopReason } = validated(mcp.specTypeSchemas.CreateMessageResult, result)
    return {
      role,
      content: content as SampleResult['content'],
      model,
      ...(stopReason !== undefined && { stopReason }),
    }
  }
}

function clampTimeout(timeoutMs = DEFAULT_TIMEOUT_MS): number {
  return Math.min(Math.max(timeoutMs, 1), MAX_TIMEOUT_MS)
}

function validated<T>(schema: Mcp.StandardSchemaV1Sync<unknown, T>, value: unknown): T {
  const result = schema['~standard'].validate(value)
  if (result.issues) throw invalidResponse(result.issues.map(({ message }) => message).join('; '))
  return result.value
}

function invalidResponse(reason: string): AppError {
  return new AppError('execution_failed', `The client's response is invalid: ${reason}`)
}
