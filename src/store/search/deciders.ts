/** How many events or decisions of one record are read for its document. */
export const MAX_DECISIONS = 100

/** The ids of users in JSON of decisions about tool calls, and of events. Damaged JSON has none. */
export function decidersIn(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => idsIn(text)))]
}

function idsIn(text: string): string[] {
  try {
    const values = [JSON.parse(text)].flat() as ({ decidedBy?: unknown; resumedBy?: unknown } | null)[]
    return values
      .map((value) => value?.decidedBy ?? value?.resumedBy)
      .filter((id): id is string => typeof id === 'string')
  } catch {
    // a damaged record does not stop the index
    return []
  }
}
