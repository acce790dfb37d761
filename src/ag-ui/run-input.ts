import type { Message, RunAgentInput } from '@ag-ui/core'
import { AppError } from '../lib/errors.ts'
import { compileSchema, formatIssues } from '../lib/schema/schema.ts'

export type { Message, RunAgentInput } from '@ag-ui/core'

type Part = Exclude<Extract<Message, { role: 'user' }>['content'], string>[number]

/** A part of a message that is not text. */
export type MediaPart = Exclude<Part, { type: 'text' }>

/** The largest numbers, as those of other routes of agents. */
const MAX_MESSAGES = 1000
const MAX_TOOLS = 128
const MAX_ID = 256

/**
 * Validates the body of a request by the schemas of the protocol, which are loaded with the first one.
 *
 * @throws AppError `invalid_input` naming the member.
 */
export async function readRunInput(body: unknown): Promise<RunAgentInput> {
  if (body instanceof AppError) throw body
  const { RunAgentInputSchema } = await import('@ag-ui/core/schemas')
  const validation = await compileSchema(RunAgentInputSchema).validate(body)
  if (!validation.ok) throw new AppError('invalid_input', formatIssues(validation.issues, ''))
  const input = validation.value as RunAgentInput
  for (const name of ['threadId', 'runId'] as const)
    if (input[name].length === 0 || input[name].length > MAX_ID)
      throw new AppError('invalid_input', `${name}: Must have 1 to ${MAX_ID} characters`)
  if (input.messages.length > MAX_MESSAGES)
    throw new AppError('invalid_input', `messages: Must not be more than ${MAX_MESSAGES}`)
  if ((input.tools?.length ?? 0) > MAX_TOOLS)
    throw new AppError('invalid_input', `tools: Must not be more than ${MAX_TOOLS}`)
  return input
}
