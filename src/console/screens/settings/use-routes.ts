import { useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import { useServices } from '../../services/services-context.tsx'

export interface ServedRoute {
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
export function useRoutes(): UseQueryResult<readonly ServedRoute[]> {
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
