import type * as Mcp from '@modelcontextprotocol/server'
import type { JsonSchema } from '../../lib/schema/schema.ts'

/**
 * The tasks extension (SEP-2663), revision 2026-07-28: github.com/modelcontextprotocol/ext-tasks, `specification/`.
 * Clients declare it with each request.
 */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

/** A task as its record shows it: an execution of a workflow, or the answer of an agent that is recorded. */
export interface TaskState {
  /** The id of the execution or the answer. */
  readonly id: string
  /** The tool whose call it is. */
  readonly tool: string
  readonly createdAt: string
  readonly updatedAt: string
  /** How far it is, what it waits for, or why it was cancelled. */
  readonly message?: string | undefined
  readonly progress: TaskProgress
}

type TaskProgress =
  | { readonly status: 'working' | 'cancelled' }
  /** The requests that the user of the client may respond to. */
  | { readonly status: 'waiting'; readonly requests: readonly TaskForm[] }
  | { readonly status: 'completed'; readonly value: unknown }
  /** The call of the tool would have thrown this. */
  | { readonly status: 'failed'; readonly error: Error }

/** What a task waits for: a form for the user of the client. */
export interface TaskForm {
  /** Differs from that of every other request of the task. */
  readonly key: string
  readonly message: string
  /** A flat object of texts, numbers and booleans; `undefined` when the data fits no form. */
  readonly form: JsonSchema | undefined
}

/** The response of the client's user to a request. */
export interface TaskResponse {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: object | undefined
}

/** Whether a client declares the extension, in the envelope of a request. */
export function declaresTasks(mcp: typeof Mcp, envelope: object | undefined): boolean {
  const capabilities: unknown = envelope && Reflect.get(envelope, mcp.CLIENT_CAPABILITIES_META_KEY)
  const extensions = memberOf(capabilities, 'extensions')
  const declared = memberOf(extensions, TASKS_EXTENSION)
  return typeof declared === 'object' && declared !== null && !Array.isArray(declared)
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined
}

/** How often clients should poll. */
const POLL_INTERVAL_MS = 1000

/** The members that all shapes of a task have (`Task`). Its record is kept as the configured retention says. */
export function taskFields({ id, createdAt, updatedAt, message }: Omit<TaskState, 'progress' | 'tool'>) {
  return {
    taskId: id,
    ...(message !== undefined && { statusMessage: message }),
    createdAt,
    lastUpdatedAt: updatedAt,
    ttlMs: null,
    pollIntervalMs: POLL_INTERVAL_MS,
  }
}

/**
 * An SDK server whose `tools/call` may return a task: the SDK validates every other result of it as that of a tool, and
 * knows no tasks of this revision.
 */
export function taskServer(mcp: typeof Mcp): typeof Mcp.Server {
  return class extends mcp.Server {
    protected override _wrapHandler(
      ...[method, handler]: Parameters<Mcp.Server['_wrapHandler']>
    ): ReturnType<Mcp.Server['_wrapHandler']> {
      return async (request, context) => {
        let task: Mcp.Result | undefined
        const validated = super._wrapHandler(method, async (...call) => {
          const result = await handler(...call)
          if (result['resultType'] !== 'task') return result
          task = result
          return { content: [] }
        })
        const result = await validated(request, context)
        return task ?? result
      }
    }
  }
}
