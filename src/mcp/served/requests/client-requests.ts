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
import { compileSchema, formatIssues, type InferOutput, type Schema } from '../../../lib/schema/schema.ts'
import type { ClientAbilities } from './client-capabilities.ts'

/** A request to a client, in the protocol's words. */
export type ClientRequest = Mcp.InputRequest

export interface AskOptions {
  readonly mcp: typeof Mcp
  readonly can: ClientAbilities
  /** Fulfils with the `result` that the client sends. */
  readonly ask: (request: ClientRequest, timeoutMs: number) => Promise<unknown>
}

const DEFAULT_TIMEOUT_MS = 5 * 60_000
const LONGEST_TIMEOUT_MS = 60 * 60_000

/** What a tool asks its client with: only what this client is able to. */
export function askersFor(options: AskOptions): Pick<ToolContext, 'elicit' | 'sample'> {
  const { elicit, sample } = options.can
  return { ...(elicit && { elicit: eliciter(options) }), ...(sample && { sample: sampler(options) }) }
}

function eliciter({ mcp, ask }: AskOptions): Elicit {
  return async <S extends Schema>({ message, schema, timeoutMs }: ElicitRequest<S>) => {
    const request = mcp.inputRequired.elicit({ message, requestedSchema: formOf(schema) })
    const { action, content } = checked(
      mcp.specTypeSchemas.ElicitResult,
      await ask(request, limitOf(timeoutMs)),
    )
    if (action !== 'accept') return { action }
    const answer = await compileSchema(schema).validate(content ?? {})
    if (!answer.ok) throw unfit(formatIssues(answer.issues, 'content'))
    return { action, content: answer.value as InferOutput<S> }
  }
}

/** The package takes what makes JSON Schemas, and makes forms of them. */
function formOf(schema: Schema): Mcp.StandardSchemaWithJSON<Record<string, unknown>> {
  const { input } = compileSchema(schema)
  const vendor =
    '~standard' in schema ? (schema as { '~standard': { vendor: string } })['~standard'].vendor : 'json'
  const validate = (value: unknown) => ({ value: value as Record<string, unknown> })
  const jsonSchema = { input: () => input, output: () => input }
  return { '~standard': { version: 1, vendor, validate, jsonSchema } }
}

function sampler({ mcp, ask }: AskOptions): Sample {
  return async ({ timeoutMs, ...params }: SampleRequest): Promise<SampleResult> => {
    const request = mcp.inputRequired.createMessage(params as Mcp.CreateMessageRequestParams)
    const result = await ask(request, limitOf(timeoutMs))
    const { role, content, model, stopReason } = checked(mcp.specTypeSchemas.CreateMessageResult, result)
    return {
      role,
      content: content as SampleResult['content'],
      model,
      ...(stopReason !== undefined && { stopReason }),
    }
  }
}

function limitOf(timeoutMs = DEFAULT_TIMEOUT_MS): number {
  return Math.min(Math.max(timeoutMs, 1), LONGEST_TIMEOUT_MS)
}

function checked<T>(schema: Mcp.StandardSchemaV1Sync<unknown, T>, value: unknown): T {
  const result = schema['~standard'].validate(value)
  if (result.issues) throw unfit(result.issues.map(({ message }) => message).join('; '))
  return result.value
}

function unfit(why: string): AppError {
  return new AppError('execution_failed', `The client's answer does not fit: ${why}`)
}
