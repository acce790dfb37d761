import { useSyncExternalStore } from 'react'
import type { Credentials } from '../../api/credentials.ts'
import { useServices } from '../../services/services-context.tsx'
import { useServerStatus } from '../../live/config-status.ts'
import type { LiveState } from '../../live/live-connection.ts'
import { useLiveState } from '../../live/use-topic.ts'
import { Icon } from '../../ui/icon.tsx'
import { useClearCredentials } from '../use-clear-credentials.ts'
import type { IconName } from '../../ui/icon.tsx'

const CONNECTION: Readonly<Record<LiveState, { text: string; icon: IconName; tone: string }>> = {
  connecting: { text: 'Connecting', icon: 'idle', tone: 'text-dim' },
  open: { text: 'Live', icon: 'ok', tone: 'text-ok' },
  lost: { text: 'Disconnected', icon: 'error', tone: 'text-error' },
  refused: { text: 'Not ready', icon: 'error', tone: 'text-error' },
  polling: { text: 'Polling', icon: 'running', tone: 'text-suspended' },
}

/** Connection, configuration and credentials. */
export function StatusLine() {
  const { credentials } = useServices()
  const clearCredentials = useClearCredentials()
  const { text, icon, tone } = CONNECTION[useLiveState()]
  const { data } = useServerStatus()
  const held = useSyncExternalStore(credentials.subscribe, () => accessText(credentials))
  const config = data && (data.config.state === 'ok' ? 'config ok' : 'config error')
  return (
    <div className="px-2 pb-1 pt-1 text-sm text-dim" role="status" aria-label="Server">
      <div>
        <Icon name={icon} className={`mr-1 inline ${tone}`} />
        {text}
      </div>
      {data && (
        <div>
          generation {data.generation.number},{' '}
          <span className={data.config.state === 'ok' ? '' : 'text-error'}>{config}</span>
        </div>
      )}
      {data && <div>{[data.production ? 'production' : 'development', held].filter(Boolean).join(', ')}</div>}
      {hasSecrets(credentials) && (
        <button type="button" onClick={clearCredentials} className="text-accent hover:underline">
          Clear credentials
        </button>
      )}
    </div>
  )
}

function hasSecrets(credentials: Credentials): boolean {
  return credentials.get('key') !== undefined || credentials.get('token') !== undefined
}

function accessText(credentials: Credentials): string {
  const held = [
    ...(credentials.bypass ? ['dev bypass'] : []),
    ...(credentials.get('key') === undefined ? [] : ['console key']),
    ...(credentials.get('token') === undefined ? [] : ['user token']),
  ]
  return held.join(', ')
}
