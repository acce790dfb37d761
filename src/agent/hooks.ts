import type { Generated } from './answer/generated.ts'
import type { ToolContext } from './tools/tool.ts'

/**
 * Functions that are called and awaited while an answer is generated. An error thrown by `onStart` or `onEnd` fails
 * the generation; an error thrown by `onToolStart` or `onToolEnd` is returned to the model as the result of the call.
 */
export interface AgentHooks {
  /** Called before the first call of the model. */
  readonly onStart?: (event: {
    /** Prompt of the request. */
    readonly prompt: string
    /** User, logger, signal and context data of the run. */
    readonly context: ToolContext
  }) => void | Promise<void>
  /** Called before a tool call. */
  readonly onToolStart?: (event: ToolStart) => void | Promise<void>
  /** Called after a tool call, also after a failed one. */
  readonly onToolEnd?: (event: ToolEnd) => void | Promise<void>
  /** The event has either `result` or `error`. */
  readonly onEnd?: (event: GenerationEnd) => void | Promise<void>
}

export interface ToolStart {
  /** Name of the tool. */
  readonly toolName: string
  /** Input of the tool. */
  readonly input: unknown
  /** User, logger, signal and context data of the run. */
  readonly context: ToolContext
}

/** The event has either `output` or `error`. */
export interface ToolEnd extends ToolStart {
  /** Result of the tool; missing when it failed. */
  readonly output?: unknown
  /** Error of the tool; missing when it succeeded. */
  readonly error?: unknown
}

export interface GenerationEnd {
  /** User, logger, signal and context data of the run. */
  readonly context: ToolContext
  /** Answer of the run; missing when it failed. */
  readonly result?: Generated
  /** Error of a failed run; missing when it completed. */
  readonly error?: unknown
}
