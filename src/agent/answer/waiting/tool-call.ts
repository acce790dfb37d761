/** A call of a tool, as the model chose it. */
export interface ToolCall {
  /** Id of the call. */
  readonly toolCallId: string
  /** Name of the tool. */
  readonly toolName: string
  /** Input of the tool. */
  readonly input: unknown
}
