import type { Agent } from '../../agent/agent.ts'
import type { AgentOptions } from '../../contract/endpoints/agent.ts'
import type { User } from '../../contract/auth.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import { AppError } from '../../lib/errors.ts'
import { compileSchema, type Schema } from '../../lib/schema/schema.ts'

/** What somebody asks an agent. */
export interface AgentCall {
  /** A text, or messages of the AI SDK. */
  readonly input: string | readonly object[]
  /** What the input is called in errors; `input` when left out. */
  readonly inputPath?: string
  /** The input is the conversation from its beginning, and takes the place of what is remembered of it. */
  readonly replacesHistory?: boolean
  /** The conversation is not read for the answer, and gets nothing of it. */
  readonly withoutMemory?: boolean
  readonly schema?: Schema | undefined
  readonly options?: AgentOptions | undefined
  /** The authenticated user; `options.userId` does not count then, not even where the user has no id. */
  readonly user?: User | undefined
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  /** What the answer's span is below. */
  readonly trace?: TraceScope | undefined
}

/** Who asks. `null` where nobody said. */
export function userIdOf({ user, options }: AgentCall): string | null {
  return (user ? user.id : options?.userId) ?? null
}

/** The conversation that is to be remembered, if any: an authenticated user without an id has none. */
export function conversationOf(agent: Agent, call: AgentCall): string | undefined {
  const nameless = call.user !== undefined && call.user.id === undefined
  const forgets = agent.memory === false || call.withoutMemory === true || nameless
  return forgets ? undefined : call.options?.conversationId
}

/** @throws AppError `invalid_input` when a caller's schema can't be compiled. */
export function checkSchema(schema: Schema): void {
  try {
    // the JSON Schema is made when it is asked for
    void compileSchema(schema).input
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_config')
      throw new AppError('invalid_input', `schema: ${error.message}`, { cause: error })
    throw error
  }
}
