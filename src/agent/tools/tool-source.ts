import type { Tool } from './tool.ts'

/** Tools that come and go with a connection. An agent has those that are there when it is asked. */
export interface ToolSource {
  readonly id: string
  /** Those that are there now. */
  readonly tools: readonly Tool[]
  /** Rules this declaration breaks; reported when the configuration is loaded. */
  readonly problems: readonly string[]
  /** Fulfils when the tools are there, or the first attempt to get them failed or takes long. */
  ready(): Promise<void>
}

export function isToolSource(value: unknown): value is ToolSource {
  if (typeof value !== 'object' || value === null) return false
  const { ready, problems } = value as Partial<ToolSource>
  return typeof ready === 'function' && Array.isArray(problems)
}
