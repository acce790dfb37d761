import { useServerStatus, useSettings } from '../../live/config-status.ts'
import { countText } from '../../ui/time/format-time.ts'
import { Pending } from '../../ui/state/states.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { Time } from '../../ui/time/time.tsx'
import { Details } from './server-tab.tsx'
import { ObservabilityKeys } from './observability-keys.tsx'

/** Environment variables and trace export. Values are never shown: the server does not return them. */
export function KeysTab() {
  const { data: settings, error, refetch } = useSettings()
  const { data: status } = useServerStatus()
  if (!settings) return <Pending error={error} retry={refetch} />
  const exporter = status?.export
  return (
    <div className="grid items-start gap-x-10 gap-y-6 p-4 lg:grid-cols-2">
      <Details
        title="Environment"
        rows={settings.keys.map(({ name, set, inEnvFile }) => [
          <code key="name" className="font-mono text-sm text-text">
            {name}
          </code>,
          <span key="set">
            <StatusBadge status={set ? 'ok' : 'idle'} text={set ? 'set' : 'not set'} />
            {inEnvFile && <span className="pl-2 text-sm text-dim">in .env</span>}
          </span>,
        ])}
      />
      <div className="flex min-w-0 flex-col gap-6">
        <Details
          title="Trace export"
          rows={[
            [
              'State',
              exporter && (
                <StatusBadge
                  status={exporter.enabled ? 'ok' : 'idle'}
                  text={exporter.enabled ? 'on' : 'off'}
                />
              ),
            ],
            ['Endpoint', exporter?.endpoint],
            [
              'Last export',
              typeof exporter?.lastSuccessAt === 'string' && <Time at={exporter.lastSuccessAt} />,
            ],
            [
              'Last error',
              typeof exporter?.lastError === 'string' && (
                <span className="text-error">{exporter.lastError}</span>
              ),
            ],
            ['Dropped', exporter && exporter.dropped > 0 ? `${countText(exporter.dropped)} spans` : ''],
          ]}
        />
        <ObservabilityKeys settings={settings} />
      </div>
    </div>
  )
}
