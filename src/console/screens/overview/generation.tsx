import { useServerStatus } from '../../live/config-status.ts'
import { Link } from '../../router/link.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { Time } from '../../ui/time/time.tsx'

/** The served generation of the configuration. */
export function Generation() {
  const { data } = useServerStatus()
  if (!data) return null
  const { generation, config } = data
  const hasError = config.state === 'error'
  return (
    <Link to="settings" className="flex items-center gap-2 hover:underline">
      <StatusBadge status={config.state} text={hasError ? 'config error' : 'config ok'} />
      <span>generation {generation.number}</span>
      <span className="text-dim">
        <Time at={generation.at} />
      </span>
    </Link>
  )
}
