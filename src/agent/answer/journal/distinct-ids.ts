/** Makes ids that are distinct, and the same each time, of the ids of a run's tool calls: some models repeat theirs. */
export function distinctIds(): (toolCallId: string) => string {
  const counts = new Map<string, number>()
  return (toolCallId) => {
    const count = (counts.get(toolCallId) ?? 0) + 1
    counts.set(toolCallId, count)
    return count === 1 ? toolCallId : `${toolCallId}#${count}`
  }
}
