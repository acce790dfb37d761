import { useServerStatus } from '../../live/config-status.ts'
import { Link } from '../../router/link.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { Time } from '../../ui/time/time.tsx'

/** Which state of the code is in service, and since when. */
export function Generation() {
  const { data } = useServerStatus()
  if (!data) return null
  const { generation, config } = data
  const broken = config.state === 'error'
  return (
    <Link to="settings" className="flex items-center gap-2 hover:underline">
      <StatusBadge status={config.state} text={broken ? 'config broken' : 'config ok'} />
      <span>generation {generation.number}</span>
      <span className="text-dim">
        <Time at={generation.at} />
      </span>
    </Link>
  )
}
