import { useServices } from '../services/services-context.tsx'
import { useLiveState } from '../live/use-topic.ts'
import { Button } from '../ui/controls/button.tsx'
import { Icon } from '../ui/icon.tsx'

const TEXT = {
  lost: 'The server is not responding. Reconnecting…',
  refused: 'The server responds, but does not serve data yet. This page is updated when it does.',
  polling: 'The WebSocket connection failed: this page polls the server every second.',
} as const

/** Warns that the shown data may be out of date. */
export function ConnectionBanner() {
  const { live } = useServices()
  const state = useLiveState()
  if (state === 'connecting' || state === 'open') return null
  return (
    <div
      role="status"
      className="flex items-center gap-3 border-b border-suspended bg-warning-panel px-4 py-1"
    >
      <span className="flex-1">
        <Icon name={state === 'polling' ? 'running' : 'error'} className="mr-1.5 inline text-suspended" />
        {TEXT[state]}
      </span>
      <Button size="small" onClick={() => live.retry()}>
        Reconnect
      </Button>
    </div>
  )
}
