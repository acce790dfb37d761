import type { Found, FoundGroup, SearchSource, Wanted } from './found.ts'

/** The results so far. */
export interface SearchProgress {
  readonly text: string
  readonly groups: readonly FoundGroup[]
  /** Why sources have failed. */
  readonly failures: readonly unknown[]
  /** Why results may be missing. */
  readonly missing?: string | undefined
  /** No more results follow. */
  readonly isComplete: boolean
}

/**
 * Asks all sources at once and shows their results in the order of the sources: results are only added at the end, so
 * that the first one stays the first. A result that several sources find is shown once.
 */
export async function searchInOrder(
  sources: readonly SearchSource[],
  wanted: Wanted,
  show: (progress: SearchProgress) => void,
): Promise<void> {
  const settled = new Set<number>()
  const running = sources.map(async (source, index) => {
    try {
      return { groups: await source(wanted) }
    } catch (failure) {
      return { groups: [], failure }
    } finally {
      settled.add(index)
    }
  })
  const failures: unknown[] = []
  const groups: FoundGroup[] = []
  const seen = new Set<string>()
  let missing: string | undefined
  for (const [index, one] of running.entries()) {
    const result = await one
    if (wanted.signal.aborted) return
    if ('failure' in result) failures.push(result.failure)
    for (const group of result.groups) {
      addGroup(groups, group.name, unseen(group.items, seen))
      missing ??= group.missing
    }
    // one rendering for all that is there
    if (settled.has(index + 1)) continue
    const isComplete = index === running.length - 1
    show({ text: wanted.text, groups: [...groups], failures: [...failures], missing, isComplete })
  }
}

function unseen(items: readonly Found[], seen: Set<string>): readonly Found[] {
  return items.filter(({ key }) => {
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  })
}

function addGroup(groups: FoundGroup[], name: string, items: readonly Found[]): void {
  if (items.length === 0) return
  const last = groups.at(-1)
  if (last?.name === name) groups[groups.length - 1] = { name, items: [...last.items, ...items] }
  else groups.push({ name, items })
}
