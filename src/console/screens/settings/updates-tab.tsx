import { useEffect, useRef, useState } from 'react'
import type { DataOf } from '../../api/call.ts'
import { errorMessage } from '../../api/request-failure.ts'
import { useAction, useEndpoint } from '../../api/use-endpoint.ts'
import { useSettings } from '../../live/config-status.ts'
import { useTopic } from '../../live/use-topic.ts'
import { useServices } from '../../services/services-context.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Pending, EmptyState } from '../../ui/state/states.tsx'
import { serverClock } from '../../ui/time/use-now.ts'
import { Time, Duration } from '../../ui/time/time.tsx'

/** Newer versions of the project's packages, and their installation. */
export function UpdatesTab() {
  const { queries } = useServices()
  const { data, error, refetch, isFetching } = useEndpoint('getUpdates', {}, { keep: true })
  const { data: settings } = useSettings()
  const install = useAction('installUpdates')
  const canInstall = settings?.updates.allowInstall ?? false
  const run = (packageName?: string) =>
    install.mutate(
      { body: packageName === undefined ? {} : { packageName } },
      { onSettled: () => void queries.invalidateQueries({ queryKey: ['getUpdates'] }) },
    )
  const list = data && (
    <>
      <div className="flex flex-wrap items-center gap-3 px-4 py-2">
        <span>
          {data.count === 0
            ? 'All packages are up to date.'
            : `${data.count} ${data.count === 1 ? 'update' : 'updates'} available.`}{' '}
          <span className="text-dim">
            {data.packageManager}, checked <Time at={data.checkedAt} />
          </span>
        </span>
        <span className="ml-auto flex gap-2">
          <Button onClick={() => void refetch()} disabled={isFetching || install.isPending}>
            Check again
          </Button>
          {data.count > 0 && (
            <Button kind="primary" onClick={() => run()} disabled={!canInstall || install.isPending}>
              Install all
            </Button>
          )}
        </span>
      </div>
      {!canInstall && settings && (
        <p className="px-4 pb-2 text-sm text-dim">
          Installation is disabled in production. Set updates.allowInstall in the configuration to enable it.
        </p>
      )}
      {data.count > 0 && (
        <UpdateTable updates={data.updates} install={run} disabled={!canInstall || install.isPending} />
      )}
    </>
  )
  return (
    <>
      {list ?? <Pending error={error} retry={refetch} what="Checking for updates" />}
      {install.isError && (
        <p role="alert" className="px-4 py-2 text-error">
          {errorMessage(install.error)}
        </p>
      )}
      {install.data && <Outcome outcome={install.data} />}
      <InstallOutput running={install.isPending} />
    </>
  )
}

function Outcome({ outcome }: { readonly outcome: DataOf<'installUpdates'> }) {
  const { updated, restartRequired } = outcome
  if (updated.length === 0) return <EmptyState title="No packages were installed" />
  return (
    <section role="status" className="px-4 py-2">
      <h2 className="font-semibold text-ok">Installed</h2>
      <ul>
        {updated.map(({ name, from, to }) => (
          <li key={name}>
            {name} {from} → {to}
          </li>
        ))}
      </ul>
      {restartRequired && <p className="text-dim">Restart the server to use the installed versions.</p>}
    </section>
  )
}

interface UpdateTableProps {
  readonly updates: DataOf<'getUpdates'>['updates']
  readonly install: (packageName: string) => void
  readonly disabled: boolean
}

/** The packages with newer versions. */
function UpdateTable({ updates, install, disabled }: UpdateTableProps) {
  return (
    <table className="mx-4 max-w-4xl">
      <thead className="text-left text-sm text-dim">
        <tr className="h-7 border-b border-line">
          {['Package', 'Installed', 'Allowed', 'Latest', 'Change'].map((name) => (
            <th key={name} scope="col" className="pr-6 font-normal">
              {name}
            </th>
          ))}
          <th scope="col">
            <span className="sr-only">Install</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {updates.map(({ name, installed, wanted, latest, type }) => (
          <tr key={name} className="h-8 border-b border-line">
            <th scope="row" className="break-all pr-6 text-left font-medium">
              {name}
            </th>
            <td className="pr-6 font-mono text-sm">{installed}</td>
            <td className="pr-6 font-mono text-sm">{wanted}</td>
            <td className="pr-6 font-mono text-sm">{latest}</td>
            <td className={`pr-6 ${type === 'major' ? 'text-suspended' : ''}`}>{type}</td>
            <td className="text-right">
              <Button
                size="small"
                onClick={() => install(name)}
                disabled={disabled}
                title={`Install ${name} ${latest}`}
              >
                Install
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Maximum number of lines kept. */
const MAX_LINES = 1000

interface LogFrame {
  readonly message: string
  readonly attributes: Readonly<Record<string, unknown>>
}

/** Output of the package manager, which the server logs line by line. */
function InstallOutput({ running }: { readonly running: boolean }) {
  const [lines, setLines] = useState<readonly string[]>([])
  const [since, setSince] = useState<string>()
  const end = useRef<HTMLPreElement>(null)
  useEffect(() => {
    if (!running) return
    setLines([])
    setSince(new Date(serverClock.now()).toISOString())
  }, [running])
  useTopic('logs', {
    onFrame: ({ data }) => {
      const { message, attributes } = data as LogFrame
      if (attributes['task'] === 'updates') setLines((old) => [...old, message].slice(-MAX_LINES))
    },
  })
  useEffect(() => {
    if (end.current) end.current.scrollTop = end.current.scrollHeight
  }, [lines])
  if (!running && lines.length === 0) return null
  return (
    <section aria-label="Installation" className="min-h-0 p-4">
      {running && (
        <p role="status" className="pb-1 text-running">
          Installing… <Duration since={since} />
        </p>
      )}
      <pre
        ref={end}
        role="log"
        aria-label="Output of the package manager"
        tabIndex={0}
        className="max-h-72 min-h-16 overflow-auto whitespace-pre-wrap break-words rounded-md border border-line bg-panel p-2 font-mono text-sm"
      >
        {lines.join('\n')}
      </pre>
    </section>
  )
}
