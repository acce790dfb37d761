import { useEndpoint } from '../../api/use-endpoint.ts'
import { usePolling } from '../../api/use-polling.ts'
import { useChanges } from '../../live/use-changes.ts'
import { Link } from '../../router/link.tsx'
import { NextRun } from '../schedules/next-run.tsx'
import { Section } from './section.tsx'

const MAX_SHOWN = 5
const POLL_MS = 10_000

/** The schedules that run next. Nothing without schedules. */
export function NextRuns() {
  const { data, refetch } = useEndpoint('listSchedules', {})
  usePolling(refetch, POLL_MS)
  useChanges('config', () => void refetch())
  if (!data || data.length === 0) return null
  const coming = data
    .filter(({ next }) => next.length > 0)
    .toSorted((one, other) => (one.next[0] ?? '').localeCompare(other.next[0] ?? ''))
  return (
    <Section
      title="Next runs"
      aside={
        <Link to="schedules" className="text-sm text-accent hover:underline">
          Schedules
        </Link>
      }
    >
      {coming.length === 0 && <p className="pt-2 text-sm text-dim">All schedules are paused.</p>}
      <ol className="pt-1">
        {coming.slice(0, MAX_SHOWN).map((schedule) => (
          <li key={schedule.id} className="flex items-baseline justify-between gap-2 py-0.5">
            <span className="min-w-0 truncate" title={schedule.id}>
              {schedule.id}
            </span>
            <span className="whitespace-nowrap text-sm text-dim">
              <NextRun schedule={schedule} />
            </span>
          </li>
        ))}
      </ol>
    </Section>
  )
}
