import type { DataOf } from '../../api/call.ts'
import { errorMessage } from '../../api/request-failure.ts'
import { useAction, useEndpoint } from '../../api/use-endpoint.ts'
import { useServices } from '../../services/services-context.tsx'
import { useSettings } from '../../live/use-settings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Pending } from '../../ui/state/pending.tsx'
import { EmptyState } from '../../ui/state/states.tsx'
import { Time } from '../../ui/time/time.tsx'
import { InstallOutput } from './install-output.tsx'
import { UpdateTable } from './update-table.tsx'

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
