import type { Tool } from './tool.ts'

/** A source of tools that change at run time, such as a connected MCP server. */
export interface ToolSource {
  /** Id of the source. */
  readonly id: string
  /** The current tools. */
  readonly tools: readonly Tool[]
  /** Problems of the declaration, reported when the configuration is loaded. */
  readonly problems: readonly string[]
  /** Resolves when the tools are loaded, or when the first attempt failed or timed out. */
  ready(): Promise<void>
}

export function isToolSource(value: unknown): value is ToolSource {
  if (typeof value !== 'object' || value === null) return false
  const { ready, problems } = value as Partial<ToolSource>
  return typeof ready === 'function' && Array.isArray(problems)
}
