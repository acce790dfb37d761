import { useServerStatus, useSettings } from '../../live/config-status.ts'
import type { ServerStatus, Settings } from '../../live/config-status.ts'
import { countText, durationText, exactTime } from '../../ui/time/format-time.ts'
import { Pending } from '../../ui/state/states.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { Time } from '../../ui/time/time.tsx'
import { TitledSection } from '../../ui/layout/titled-section.tsx'
import type { ReactNode } from 'react'
import { KeyValue } from '../../ui/layout/key-value.tsx'
import type { KeyValueProps } from '../../ui/layout/key-value.tsx'

/** Server, configuration, storage and telemetry. */
export function ServerTab() {
  const settings = useSettings()
  const status = useServerStatus()
  const error = settings.error ?? status.error
  const retry = () => {
    void settings.refetch()
    void status.refetch()
  }
  if (settings.data && status.data) return <ServerDetails settings={settings.data} status={status.data} />
  return <Pending error={error} retry={retry} />
}

interface ServerDetailsProps {
  readonly settings: Settings
  readonly status: ServerStatus
}

function ServerDetails({ settings, status }: ServerDetailsProps) {
  const { config, database, retention, model } = settings
  return (
    <div className="grid items-start gap-x-10 gap-y-6 p-4 lg:grid-cols-2">
      <Details
        title="Server"
        rows={[
          ['Version', `agentserver ${settings.version}`],
          ['Node.js', settings.node],
          ['Environment', settings.production ? 'production' : 'development'],
          ['Auth', authText(settings)],
          ['Model', modelText(model)],
        ]}
      />
      <Details
        title="Configuration"
        rows={[
          ['File', config.file ?? 'none (passed in by a program)'],
          [
            'State',
            <StatusBadge
              key="state"
              status={status.config.state}
              text={status.config.state === 'ok' ? 'loaded' : 'failed'}
            />,
          ],
          ['Generation', countText(status.generation.number)],
          [
            'Loaded',
            <span key="at">
              <Time at={status.generation.at} /> ({exactTime(status.generation.at)})
            </span>,
          ],
          ['Load duration', durationText(status.generation.durationMs)],
          ['Hot reload', config.watched ? 'on' : 'off'],
        ]}
      >
        <Files config={config} />
      </Details>
      <Details
        title="Storage"
        rows={[
          ['Database', `${database.kind}: ${database.place}`],
          ['Durability', database.durability],
          ['Runs', `${retention.executions.days} days, maximum ${countText(retention.executions.count)}`],
          ['Telemetry', `${retention.telemetry.days} days, maximum ${countText(retention.telemetry.count)}`],
          ['Events', typeof retention.events === 'number' ? `${retention.events} ms` : retention.events],
        ]}
      />
      <Details
        title="Telemetry"
        rows={[
          ['Stored in', telemetryText(status)],
          ['Recording', settings.observability.enabled ? 'on' : 'off'],
          ['Content capture', settings.observability.captureContent ? 'on' : 'off'],
          ['Requests', countText(status.traceCount)],
          ['Spans', countText(status.spanCount)],
          ['Logs', countText(status.logCount)],
          ['Dropped', droppedText(status)],
        ]}
      />
    </div>
  )
}

function telemetryText({ storage, telemetryStorage }: ServerStatus): string {
  return storage === telemetryStorage ? 'the database' : 'a file of each machine: these are of this machine'
}

function droppedText({ dropped, logsDropped }: ServerStatus): string {
  const parts = [
    dropped > 0 ? `${countText(dropped)} spans` : '',
    logsDropped > 0 ? `${countText(logsDropped)} log records` : '',
  ]
  return parts.filter(Boolean).join(', ')
}

/** Number of files up to which the list is expanded. */
const MAX_EXPANDED = 8

function Files({ config }: { readonly config: Settings['config'] }) {
  const { files, fileCount } = config
  if (fileCount === 0) return null
  const list = (
    <ul className="pt-1 font-mono text-sm">
      {files.map((file) => (
        <li key={file} className="break-all">
          {file}
        </li>
      ))}
      {fileCount > files.length && (
        <li className="text-dim">and {countText(fileCount - files.length)} more</li>
      )}
    </ul>
  )
  return (
    <details className="pt-2" open={fileCount <= MAX_EXPANDED}>
      <summary className="text-dim">
        {countText(fileCount)} project {fileCount === 1 ? 'file' : 'files'}
      </summary>
      {list}
    </details>
  )
}

const MODES = {
  none: 'not configured (all routes are public)',
  authNext: 'authNext',
  auth: 'auth (deprecated)',
} as const

/** The auth mode and its provider. */
export function authText({ auth }: Settings): string {
  const mode = MODES[auth.mode]
  return auth.provider === null ? mode : `${mode}, provider ${auth.provider}`
}

function modelText({ name, origin }: Settings['model']): string {
  if (name === null) return origin
  return origin === 'demo' ? 'demo (no model provider configured)' : `${name} (from ${origin})`
}

interface DetailsProps extends KeyValueProps {
  readonly title: string
  readonly children?: ReactNode
}

/** A titled group of details. */
export function Details({ title, rows, children }: DetailsProps) {
  return (
    <TitledSection title={title}>
      <div className="pt-2">
        <KeyValue rows={rows} />
      </div>
      {children}
    </TitledSection>
  )
}
