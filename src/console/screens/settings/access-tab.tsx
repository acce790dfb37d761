import { useSettings } from '../../live/use-settings.ts'
import { useUrlState } from '../../router/use-url-state.ts'
import { DataTable } from '../../ui/table/data-table.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
import { FilterBar, FilterSelect, FilterText } from '../../filters/filter-bar.tsx'
import { Pending } from '../../ui/state/pending.tsx'
import { EmptyState } from '../../ui/state/states.tsx'
import { authText } from './server-tab.tsx'
import { useRoutes } from './use-routes.ts'
import type { ServedRoute } from './use-routes.ts'

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
  const { data: routes, error, refetch } = useRoutes()
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
