import type { Rolldown } from 'vite'

/** Modules of a few lines: ours, and icons. */
const SMALL = /[\\/]src[\\/]|[\\/]lucide-react[\\/]/
const MIN_SCREENS = 3

/**
 * Puts the small modules that three or more screens load into one chunk: many chunks of some hundred bytes compress
 * badly, and are as many requests. Modules of the first load stay there, and those that need a library which is loaded
 * later stay with it.
 */
export function sharedChunk(main: string): Rolldown.CodeSplittingOptions {
  const first = new Set<string>()
  const known = new Map<string, boolean>()
  const importsOf = (id: string, context: Rolldown.ChunkingContext) =>
    context.getModuleInfo(id)?.importedIds ?? []
  const addFirst = (id: string, context: Rolldown.ChunkingContext) => {
    if (first.has(id)) return
    first.add(id)
    for (const one of importsOf(id, context)) addFirst(one, context)
  }
  const isSmall = (id: string, context: Rolldown.ChunkingContext): boolean => {
    const small =
      known.get(id) ??
      (first.has(id) || (SMALL.test(id) && importsOf(id, context).every((one) => isSmall(one, context))))
    known.set(id, small)
    return small
  }
  const name = (id: string, context: Rolldown.ChunkingContext) => {
    addFirst(main, context)
    return !first.has(id) && isSmall(id, context) ? 'shared' : null
  }
  return {
    includeDependenciesRecursively: false,
    groups: [{ name, debugName: 'shared', minShareCount: MIN_SCREENS }],
  }
}
