import { errorMessage } from '../../api/request-failure.ts'
import { useAction } from '../../api/use-endpoint.ts'
import { useServices } from '../../services/services-context.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { evalRunKey } from './use-eval-run.ts'
import type { FollowedRun } from './use-eval-run.ts'

export interface RunButtonProps {
  readonly evalId: string
  readonly size?: 'normal' | 'small'
}

/** Runs an eval with the code as saved, and opens the run. */
export function RunButton({ evalId, size = 'normal' }: RunButtonProps) {
  const { router, toasts, queries } = useServices()
  const { mutate, isPending } = useAction('runEval')
  const run = () =>
    mutate(
      { params: { id: evalId } },
      {
        onSuccess: (run) => {
          // its stream begins when the code is loaded
          queries.setQueryData<FollowedRun>(evalRunKey(run.id), { run, cases: [] })
          void router.navigate(`evals/runs/${encodeURIComponent(run.id)}`)
        },
        onError: (error) => toasts.error(errorMessage(error)),
      },
    )
  return (
    <Button kind={size === 'normal' ? 'primary' : 'plain'} size={size} onClick={run} disabled={isPending}>
      {size === 'normal' ? 'Run with the code as saved' : 'Run'}
    </Button>
  )
}
