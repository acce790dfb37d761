import { useQuery } from '@tanstack/react-query'
import type { EvalCase, EvalRun } from '../../../contract/endpoints/project/evals.ts'
import { useServices } from '../../services/services-context.tsx'

/** A run, with the cases that have ended. */
export interface FollowedRun {
  readonly run: EvalRun
  readonly cases: readonly EvalCase[]
}

/** The cache key of a run. */
export function evalRunKey(runId: string): readonly unknown[] {
  return ['evalRun', runId]
}

/** How often new cases are shown. */
const SHOW_MS = 100

/** A run that is read as a stream: its cases appear as they end. An ended run is read once. */
export function useEvalRun(runId: string) {
  const { api, queries } = useServices()
  const queryKey = evalRunKey(runId)
  return useQuery<FollowedRun>({
    queryKey,
    enabled: runId !== '',
    staleTime: ({ state }) => (state.data && state.data.run.endedAt !== null ? Infinity : 0),
    queryFn: async ({ signal }) => {
      let run: EvalRun | undefined
      const cases: EvalCase[] = []
      let timer: ReturnType<typeof setTimeout> | undefined
      const show = () => {
        timer = undefined
        if (run) queries.setQueryData<FollowedRun>(queryKey, { run, cases: [...cases] })
      }
      try {
        for await (const event of api.events('getEvalRun', { params: { runId }, signal })) {
          if (event.type === 'case-end') cases.push(event.case)
          else run = event.run
          timer ??= setTimeout(show, SHOW_MS)
        }
      } finally {
        clearTimeout(timer)
      }
      for (const key of ['listEvals', 'listEvalRuns']) void queries.invalidateQueries({ queryKey: [key] })
      if (!run) throw new Error('The stream of the run ended without it')
      return { run, cases }
    },
  })
}
