import { useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import { FilterBar, FilterSelect, FilterText } from '../../filters/filter-bar.tsx'
import { useSettings } from '../../live/config-status.ts'
import { useUrlState } from '../../router/use-url-state.ts'
import { useServices } from '../../services/services-context.tsx'
import { Pending, EmptyState } from '../../ui/state/states.tsx'

import { DataTable } from '../../ui/table/data-table.tsx'
import type { Column } from '../../ui/table/data-table.tsx'
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

interface ServedRoute {
  readonly method: string
  readonly path: string
  readonly access: string
  /** Required credentials with the current configuration. */
  readonly credentials: string
}

/** The used parts of an OpenAPI document. */
interface ApiDescription {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly 'x-websockets'?: Readonly<Record<string, Operation>>
}

interface Operation {
  readonly 'x-access'?: string
  /** Alternative sets of credentials. */
  readonly security?: readonly Readonly<Record<string, unknown>>[]
}

/** All routes of the server, custom ones included, from its API description. */
function useRoutes(): UseQueryResult<readonly ServedRoute[]> {
  const { api } = useServices()
  return useQuery({
    queryKey: ['getApiDescription', 'routes'],
    queryFn: async () => routesIn(JSON.parse(await api.text('getApiDescription')) as ApiDescription),
  })
}

function routesIn({ paths, 'x-websockets': sockets = {} }: ApiDescription): ServedRoute[] {
  const overHttp = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) =>
      routeOf(method.toUpperCase(), path.replaceAll(/\{(\w+)\}/g, ':$1'), operation),
    ),
  )
  return [...overHttp, ...Object.entries(sockets).map(([path, operation]) => routeOf('WS', path, operation))]
}

function routeOf(method: string, path: string, operation: Operation): ServedRoute {
  const { 'x-access': access = '', security = [] } = operation
  return { method, path, access, credentials: credentialsText(security) }
}

const CREDENTIALS: Readonly<Record<string, string>> = {
  consoleKey: 'console key',
  userToken: 'user token',
  developmentBypass: 'development bypass',
}

function credentialsText(security: NonNullable<Operation['security']>): string {
  if (security.length === 0) return 'none required'
  return security
    .map((schemes) => Object.keys(schemes).map((name) => CREDENTIALS[name] ?? name))
    .map((names) => names.join(' with '))
    .join(', ')
}
