import type { Access } from '../../contract/endpoint.ts'
import { connect } from '../connect.ts'
import { examples } from '../command.ts'
import type { CliCommand } from '../command.ts'
import { EXIT } from '../exit-code.ts'
import { table } from '../print/table.ts'

interface Route {
  readonly method: string
  readonly path: string
  /** The class the contract gives it. */
  readonly access: Access
  /** What opens it under the current configuration. */
  readonly openTo: string
}

export const routes: CliCommand = {
  define: (command) => {
    command.addHelpText('after', examples('routes', 'routes --json'))
  },
  run: async (call) => {
    const { terminal } = call
    const { client } = await connect(call, { readOnly: true })
    const found = routesIn(JSON.parse(await client.getApiDescription()) as ApiDescription)
    if (terminal.json) terminal.printValue(found)
    else {
      const rows = found.map(({ method, path, access, openTo }) => [method, path, access, openTo])
      terminal.print(table(['METHOD', 'PATH', 'CLASS', 'OPEN TO'], rows, terminal))
    }
    return EXIT.done
  },
}

/** What is used of an OpenAPI document. */
interface ApiDescription {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly 'x-access': Access }>>>>
}

function routesIn({ paths }: ApiDescription): Route[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { 'x-access': access }]) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      access,
      openTo: 'everyone',
    })),
  )
}
