import type { Generated } from './answer/generated.ts'
import type { ToolContext } from './tools/tool.ts'

/**
 * Functions called on the way to an answer, and waited for. They can also refuse: what `onStart` or `onEnd`
 * throws ends the generation, what `onToolStart` or `onToolEnd` throws is the model's answer to that tool call.
 */
export interface AgentHooks {
  readonly onStart?: (event: {
    readonly prompt: string
    readonly context: ToolContext
  }) => void | Promise<void>
  readonly onToolStart?: (event: ToolStart) => void | Promise<void>
  readonly onToolEnd?: (event: ToolEnd) => void | Promise<void>
  /** Has either `result` or `error`. */
  readonly onEnd?: (event: GenerationEnd) => void | Promise<void>
}

export interface ToolStart {
  readonly toolName: string
  readonly input: unknown
  readonly context: ToolContext
}

/** Has either `output` or `error`. */
export interface ToolEnd extends ToolStart {
  readonly output?: unknown
  readonly error?: unknown
}

export interface GenerationEnd {
  readonly context: ToolContext
  readonly result?: Generated
  readonly error?: unknown
}
