import type { Generated } from './answer/generated.ts'
import type { ToolContext } from './tools/tool.ts'

/**
 * Functions that are called and awaited while an answer is generated. An error thrown by `onStart` or `onEnd` fails
 * the generation; an error thrown by `onToolStart` or `onToolEnd` is returned to the model as the result of the call.
 */
export interface AgentHooks {
  readonly onStart?: (event: {
    readonly prompt: string
    readonly context: ToolContext
  }) => void | Promise<void>
  readonly onToolStart?: (event: ToolStart) => void | Promise<void>
  readonly onToolEnd?: (event: ToolEnd) => void | Promise<void>
  /** The event has either `result` or `error`. */
  readonly onEnd?: (event: GenerationEnd) => void | Promise<void>
}

export interface ToolStart {
  readonly toolName: string
  readonly input: unknown
  readonly context: ToolContext
}

/** The event has either `output` or `error`. */
export interface ToolEnd extends ToolStart {
  readonly output?: unknown
  readonly error?: unknown
}

export interface GenerationEnd {
  readonly context: ToolContext
  readonly result?: Generated
  readonly error?: unknown
}
