import type { ResourceAction, User } from '../contract/auth.ts'
import type { Engine } from '../engine/engine.ts'
import type { ExecutionRef } from '../engine/executions/find.ts'
import type { Registry } from '../engine/registry.ts'
import type { ErasableRecords } from '../store/erasure-store.ts'
import type { TraceScope } from '../lib/telemetry/trace-scope.ts'

/** What becomes of the system and developer messages of clients. */
export type SystemMessages = 'append' | 'ignore' | 'refuse'

/** What a model stands for. */
export interface ModelTarget {
  readonly kind: 'agent' | 'workflow'
  readonly id: string
}

/** What a caller may do. Rejects with AppError `not_found` or `forbidden`. */
export interface ModelAccess {
  to(action: ResourceAction, kind: ModelTarget['kind'], id: string): Promise<void>
  toExecution(action: ResourceAction, ref: ExecutionRef): Promise<void>
  /** Whether the rules for users apply to the caller: not to operators, and not without authentication. */
  readonly isLimited: boolean
}

/** A request of OpenAI's API, and what it is answered with. */
export interface OpenaiExchange {
  readonly engine: Engine
  readonly registry: Registry
  /**
   * What the caller may do with a model, as on its own route.
   *
   * @throws AppError `not_found` when the caller can't use it.
   */
  readonly reach: (target: ModelTarget) => Promise<ModelAccess>
  readonly user: User | undefined
  /** Whether the configuration has an auth provider: then `user` of a request is not who asks. */
  readonly hasUsers: boolean
  readonly systemMessages: SystemMessages
  readonly trace: TraceScope
  /** Aborts when the client disconnects or the server stops. */
  readonly signal: AbortSignal
  readonly newId: () => string
  /** Deletes records with all that belongs to them. */
  readonly erase: (records: ErasableRecords) => Promise<void>
  readonly now: () => number
}

/** One message of a stream. */
export interface StreamMessage {
  readonly event?: string
  readonly data: string
}

/** A JSON document, or a stream. */
export type OpenaiReply =
  | { readonly kind: 'json'; readonly body: object; readonly headers?: Readonly<Record<string, string>> }
  | {
      readonly kind: 'stream'
      readonly events: AsyncGenerator<StreamMessage>
      readonly headers: Readonly<Record<string, string>>
    }

/** The header with the id of the run or the execution. */
export function executionHeader(id: string): Record<string, string> {
  return { 'X-Execution-Id': id }
}
