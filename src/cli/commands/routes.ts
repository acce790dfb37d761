import type { Access } from '../../contract/endpoint.ts'
import { connect } from '../connect/connect.ts'
import { examples } from '../command.ts'
import type { CliCommand } from '../command.ts'
import { EXIT } from '../exit-code.ts'
import { table } from '../print/table.ts'

interface Route {
  readonly method: string
  readonly path: string
  /** The access class in the contract. */
  readonly access: Access
  /** The credentials that the current configuration accepts. */
  readonly openTo: string
}

export const routes: CliCommand = {
  define: (command) => {
    command.addHelpText('after', examples('routes', 'routes --json'))
  },
  run: async (call) => {
    const { terminal } = call
    const { client } = await connect(call, { readOnly: true })
    const api = JSON.parse(await client.getApiDescription()) as ApiDescription
    const found = routesIn(api)
    if (terminal.json) terminal.printValue(found)
    else {
      const rows = found.map(({ method, path, access, openTo }) => [method, path, access, openTo])
      terminal.print(table(['METHOD', 'PATH', 'ACCESS', 'OPEN TO'], rows, terminal))
      const description = api.components.securitySchemes.consoleKey?.description
      if (description !== undefined && rows.some((row) => row.at(-1)?.includes(CREDENTIALS.consoleKey)))
        terminal.note(terminal.notePaint.yellow(`Console key: ${description}`))
    }
    return EXIT.done
  },
}

/** The parts of an OpenAPI document that are used. */
interface ApiDescription {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly 'x-websockets'?: Readonly<Record<string, Operation>>
  readonly components: {
    /** Those that operations require: none without auth. */
    readonly securitySchemes: { readonly consoleKey?: { readonly description?: string } }
  }
}

interface Operation {
  readonly 'x-access': Access
  /** Alternatives. Each lists credentials that are required together. */
  readonly security: readonly Readonly<Partial<Record<Credential, unknown>>>[]
}

function routesIn({ paths, 'x-websockets': sockets = {} }: ApiDescription): Route[] {
  const overHttp = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) =>
      routeOf(method.toUpperCase(), path.replaceAll(/\{(\w+)\}/g, ':$1'), operation),
    ),
  )
  return [...overHttp, ...Object.entries(sockets).map(([path, operation]) => routeOf('WS', path, operation))]
}

function routeOf(method: string, path: string, { 'x-access': access, security }: Operation): Route {
  return { method, path, access, openTo: openTo(security) }
}

const CREDENTIALS = {
  consoleKey: 'console key',
  userToken: 'user token',
  developmentBypass: 'development bypass',
} as const

type Credential = keyof typeof CREDENTIALS

function openTo(security: Operation['security']): string {
  if (security.length === 0) return 'everyone'
  const ways = security.map((schemes) =>
    (Object.keys(schemes) as Credential[]).map((name) => CREDENTIALS[name]),
  )
  return ways.map((names) => names.join(' with ')).join(', ')
}
