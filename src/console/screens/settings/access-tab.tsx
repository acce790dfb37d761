import { useMemo } from 'react'
import { FilterBar, FilterSelect, FilterText } from '../../filters/filter-bar.tsx'
import { useSettings } from '../../live/config-status.ts'
import { useUrlState } from '../../router/use-url-state.ts'
import { Pending, EmptyState } from '../../ui/state/states.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import { useApiDescription } from '../api/use-api-description.ts'
import type { ApiDescription } from '../api/api-description.ts'
import { authText } from './server-tab.tsx'

const FILTERS = { q: '', access: '' }

const COLUMNS: readonly Column<ServedRoute>[] = [
  {
    name: 'Method',
    width: '4.5rem',
    cell: ({ method }) => <span className="font-mono text-sm">{method}</span>,
  },
  {
    name: 'Path',
    width: 'minmax(12rem, 3fr)',
    cell: ({ path }) => <span className="font-mono text-sm">{path}</span>,
  },
  { name: 'Access', width: '5rem', cell: ({ access }) => access },
  { name: 'Credentials', width: 'minmax(12rem, 2fr)', cell: ({ credentials }) => credentials },
]

/** The access class and credentials of every route, with the current configuration. */
export function AccessTab() {
  const { data: settings } = useSettings()
  const { data, error, refetch } = useApiDescription()
  const routes = useMemo(() => data && routesIn(data), [data])
  const [{ q, access }, set] = useUrlState(FILTERS)
  if (!routes) return <Pending error={error} retry={refetch} />
  const found = routes.filter(
    (route) =>
      (access === '' || route.access === access) &&
      `${route.method} ${route.path} ${route.credentials}`.toLowerCase().includes(q.toLowerCase()),
  )
  return (
    <>
      {settings && (
        <p className="px-4 py-2">
          Auth: {authText(settings)}.{' '}
          <span className="text-dim">
            {settings.auth.bypass
              ? 'Development bypass: on, for requests from this machine.'
              : 'Development bypass: off.'}
          </span>
        </p>
      )}
      <FilterBar>
        <FilterText label="Search routes" first value={q} onChange={(text) => set({ q: text })} />
        <FilterSelect
          label="Access"
          value={access}
          options={['public', 'console', 'user']}
          onChange={(value) => set({ access: value })}
        />
        <span className="text-sm text-dim">
          {found.length} of {routes.length} routes
        </span>
      </FilterBar>
      {found.length === 0 ? (
        <EmptyState title="No routes match these filters" />
      ) : (
        <DataTable
          label="Routes"
          columns={COLUMNS}
          count={found.length}
          row={(index) => found[index]}
          rowKey={({ method, path }) => `${method} ${path}`}
        />
      )}
    </>
  )
}

interface ServedRoute {
  readonly method: string
  readonly path: string
  readonly access: string
  /** Required credentials with the current configuration. */
  readonly credentials: string
}

/** All routes of the server, custom ones included, from its API description. */
function routesIn({ operations, sockets }: ApiDescription): ServedRoute[] {
  return [...operations, ...sockets.map((socket) => ({ ...socket, method: 'WS' }))].map(
    ({ method, path, access, credentials }) => ({
      method,
      path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      access,
      credentials:
        credentials.length === 0 ? 'none required' : credentials.join(', ').replaceAll(' and ', ' with '),
    }),
  )
}
