import { useCallback, useMemo } from 'react'
import { EVERY_STEP } from '../../contract/breakpoints/breakpoint.ts'
import { useUrlState } from '../router/use-url-state.ts'

const STATE = { pauseAt: '' }
/** None, where an execution has some. */
const NONE = '-'

/** The breakpoints of a graph, by step id. They are in the address until a run or a resume sends them. */
export interface Breakpoints {
  readonly ids: ReadonlySet<string>
  readonly toggle: (stepId: string) => void
}

/** `stored`: those of the execution, until they are changed here. */
export function useBreakpoints(stored?: readonly string[]): Breakpoints {
  const [{ pauseAt }, set] = useUrlState(STATE)
  const before = stored?.filter((id) => id !== EVERY_STEP).join(',') ?? ''
  const text = pauseAt === '' ? before : pauseAt
  const ids = useMemo(() => new Set(text.split(',').filter((id) => id !== '' && id !== NONE)), [text])
  const toggle = useCallback(
    (stepId: string) => {
      const next = new Set(ids)
      if (!next.delete(stepId)) next.add(stepId)
      set({ pauseAt: next.size === 0 && before !== '' ? NONE : [...next].join(',') })
    },
    [ids, before, set],
  )
  return useMemo(() => ({ ids, toggle }), [ids, toggle])
}
