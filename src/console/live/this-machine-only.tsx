import { useServerStatus } from './config-status.ts'

/** Notes that logs and traces have only what ran on the machine that responds, where each machine stores its own. */
export function ThisMachineOnly() {
  const { data } = useServerStatus()
  if (!data || data.telemetryStorage === data.storage) return null
  return (
    <span
      className="text-sm text-dim"
      title="Each machine stores its own logs and requests (observability.store). What ran on other machines is shown there."
    >
      this machine only
    </span>
  )
}
