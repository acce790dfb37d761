import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { CHANNELS } from '../../contract/channels.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import type { pageEndpoints } from '../../contract/endpoints/pages.ts'
import { AppError } from '../../lib/errors.ts'
import { HOME } from '../../lib/packages/own-package.ts'
import { consoleDocument } from '../pages/console-pages.ts'
import { ConsoleFiles } from '../pages/console-files.ts'
import { explorerAsset, explorerPage } from '../pages/explorer.ts'
import { landingPage } from '../pages/landing.ts'
import { describeApi } from '../openapi/describe-api.ts'
import type { Handler } from '../reply/reply.ts'
import type { ServedGeneration, Services } from '../services.ts'
import { customRoutes } from '../user-app.ts'

type Group = typeof pageEndpoints

/** The build's directory of the console. */
const CONSOLE_BUILD = path.join(HOME, 'dist/console')

const CHANNEL_PATHS = Object.values(CHANNELS).map(({ path }) => path)

/** The pages of this package's documentation, with their paths in the project. */
async function llmsText(root: string): Promise<string> {
  const text = await readFile(path.join(HOME, 'llms.txt'), 'utf8')
  const home = path.relative(root, HOME).replaceAll(path.sep, '/')
  return text.replaceAll(/\]\((?!\w+:)/g, `](${home}/`)
}

export function pageHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const descriptions = new WeakMap<ServedGeneration, string>()
  const description = () => {
    const served = services.current()
    const { gate, userApp, config } = served
    const own = {
      customRoutes: customRoutes(userApp),
      isServed: ({ switchedBy }: Endpoint) => switchedBy === undefined || config[switchedBy] !== false,
      socketPaths: [...CHANNEL_PATHS, ...Object.keys(config.webSockets)],
    }
    const text =
      descriptions.get(served) ?? JSON.stringify(describeApi({ version: services.version, gate, ...own }))
    descriptions.set(served, text)
    return text
  }
  const files = new ConsoleFiles(CONSOLE_BUILD)
  const explorerOn = () => services.current().config.enableSwaggerUI ?? !services.production
  /** The option is for developers, not for visitors of a production server. */
  const disabled = (name: string, option: string) => {
    const hint = services.production ? '' : `; set ${option} in the configuration`
    return new AppError('not_found', `${name} is disabled${hint}`)
  }
  const requireExplorer = () => {
    if (!explorerOn()) throw disabled('The API explorer', 'enableSwaggerUI')
  }
  return {
    getLanding: () =>
      landingPage({
        version: services.version,
        explorer: explorerOn(),
        console: services.consoleOn(),
        served: services.current(),
      }),
    getLlmsText: async () => {
      if (services.production)
        throw new AppError('not_found', 'The list of pages is served in development only')
      return { body: await llmsText(services.root), type: 'text/plain; charset=utf-8' }
    },
    getApiDescription: () => ({ body: description(), type: 'application/json' }),
    getApiExplorer: () => {
      requireExplorer()
      return explorerPage()
    },
    getApiExplorerAsset: async ({ params, raw }) => {
      requireExplorer()
      const asset = await explorerAsset(params.asset, raw.headers.get('accept-encoding') ?? '')
      if (!asset) throw new AppError('not_found', `File not found: ${params.asset}`)
      return asset
    },
    getConsole: async ({ raw }) => {
      if (!services.consoleOn()) throw disabled('The console', 'console')
      return consoleDocument(files, raw)
    },
  }
}
