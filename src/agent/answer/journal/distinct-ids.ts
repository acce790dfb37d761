/**
 * Makes ids that are distinct, and the same each time, of the ids of a run's tool calls: some models repeat theirs.
 *
 * @param earlier the ids of the calls that were made before
 */
export function distinctIds(earlier: readonly string[] = []): (toolCallId: string) => string {
  const counts = new Map<string, number>()
  const next = (toolCallId: string) => {
    const count = (counts.get(toolCallId) ?? 0) + 1
    counts.set(toolCallId, count)
    return count === 1 ? toolCallId : `${toolCallId}#${count}`
  }
  for (const toolCallId of earlier) next(toolCallId)
  return next
}
