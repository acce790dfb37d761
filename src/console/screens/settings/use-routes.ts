import { useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import { useServices } from '../../services/services-context.tsx'

export interface ServedRoute {
  readonly method: string
  readonly path: string
  readonly access: string
  /** What opens it under the configuration in service. */
  readonly openTo: string
}

/** What is used of an OpenAPI document. */
interface ApiDescription {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly 'x-websockets'?: Readonly<Record<string, Operation>>
}

interface Operation {
  readonly 'x-access'?: string
  /** Alternatives, each with the credentials that it takes together. */
  readonly security?: readonly Readonly<Record<string, unknown>>[]
}

/** Every route that the server has, the project's own among them, as its API description tells. */
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
  return { method, path, access, openTo: openTo(security) }
}

const CREDENTIALS: Readonly<Record<string, string>> = {
  consoleKey: 'console key',
  userToken: 'user token',
  developmentBypass: 'development bypass',
}

function openTo(security: NonNullable<Operation['security']>): string {
  if (security.length === 0) return 'everyone'
  return security
    .map((schemes) => Object.keys(schemes).map((name) => CREDENTIALS[name] ?? name))
    .map((names) => names.join(' with '))
    .join(', ')
}
