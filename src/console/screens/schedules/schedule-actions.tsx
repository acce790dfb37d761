import type { ScheduleDetail } from '../../../contract/endpoints/schedule.ts'
import { errorMessage } from '../../api/request-failure.ts'
import { queryKeyOf, useAction } from '../../api/use-endpoint.ts'
import { useServices } from '../../services/services-context.tsx'
import { Button } from '../../ui/controls/button.tsx'

/** Buttons that run a schedule now, and pause or resume it. */
export function ScheduleActions({ schedule: { id, paused } }: { readonly schedule: ScheduleDetail }) {
  const { queries, toasts } = useServices()
  const trigger = useAction('triggerSchedule')
  const pause = useAction('pauseSchedule')
  const resume = useAction('resumeSchedule')
  const call = { params: { id } }
  const onError = (failure: Error) => toasts.error(errorMessage(failure))
  const onSettled = () => void queries.invalidateQueries({ queryKey: queryKeyOf('listSchedules') })
  const run = () =>
    trigger.mutate(call, {
      onSuccess: ({ executionId }) =>
        toasts.info('Execution started', {
          to: `executions/${encodeURIComponent(executionId)}`,
          text: 'Open',
        }),
      onError,
      onSettled,
    })
  const change = paused ? resume : pause
  return (
    <span className="flex items-center gap-1">
      <Button size="small" onClick={run} disabled={trigger.isPending} title={`Run ${id} now`}>
        Run
      </Button>
      <Button
        size="small"
        onClick={() => change.mutate(call, { onError, onSettled })}
        disabled={change.isPending}
        title={`${paused ? 'Resume' : 'Pause'} ${id}`}
      >
        {paused ? 'Resume' : 'Pause'}
      </Button>
    </span>
  )
}
