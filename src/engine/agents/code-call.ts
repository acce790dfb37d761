import { readCallerSchema } from '../../lib/schema/caller-schema.ts'
import { compileSchema } from '../../lib/schema/schema.ts'
import type { AgentCall } from './agent-call.ts'
import type { Road } from './durable/road.ts'
import type { RunOrigin } from './start/run-deps.ts'

/** A request of the project's code. Its schema may be of any library, and is trusted. */
export interface CodeCall extends AgentCall {
  readonly road: Road
  /** The step or tool that it is a part of. */
  readonly origin: RunOrigin
}

/**
 * The call of code whose answer survives the process: its schema is stored as JSON.
 *
 * @throws AppError `invalid_input` when the schema exceeds a limit.
 */
export function withStoredSchema(call: CodeCall): AgentCall {
  const { schema } = call
  return schema === undefined ? call : { ...call, schema: readCallerSchema(compileSchema(schema).input) }
}
