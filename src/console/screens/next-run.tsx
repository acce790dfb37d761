import type { ScheduleDetail } from '../../contract/endpoints/schedule.ts'
import { StatusBadge } from '../ui/state/status-badge.tsx'
import { exactTime, inText } from '../ui/time/format-time.ts'
import { useNow } from '../ui/time/use-now.ts'

/** When a schedule runs next, with its next five instants in the tooltip. */
export function NextRun({ schedule: { paused, next } }: { readonly schedule: ScheduleDetail }) {
  const now = useNow()
  if (paused) return <StatusBadge status="suspended" text="paused" />
  const [first] = next
  if (first === undefined) return <span className="text-dim">never</span>
  return (
    <time dateTime={first} title={next.map((at) => exactTime(at)).join('\n')}>
      {inText(first, now)}
    </time>
  )
}
