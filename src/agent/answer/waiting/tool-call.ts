/** A call of a tool, as the model chose it. */
export interface ToolCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}
