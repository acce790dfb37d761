import os from 'node:os'
import path from 'node:path'
import type { ServerConfig } from '../../config/config.ts'
import type { Project } from '../../config/project.ts'
import { CONSOLE_PATH } from '../../contract/endpoints/pages.ts'
import { ENDPOINTS } from '../../contract/index.ts'
import { VERSION } from '../../lib/packages/own-package.ts'
import { maskPassword } from '../../store/postgres/connection/postgres-url.ts'
import { installedVersion } from '../../updates/installed-version.ts'
import type { LiveServer } from '../../server/live-server.ts'
import type { Terminal } from '../print/terminal.ts'
import { schedulesText } from './fit-lines.ts'
import { modelText } from './model-text.ts'

export interface BannerOptions {
  readonly url: string
  readonly project: Project
  readonly production: boolean
  /** The project's token; `undefined` in production. */
  readonly projectToken: string | undefined
  /** The configuration in service and its generation. Both are undefined until a configuration loads. */
  readonly server: Pick<LiveServer, 'config' | 'load' | 'runsSchedules'>
  /** Why DATABASE_URL is not used. */
  readonly ignoredDatabaseUrl: string | undefined
}

/** The text that `dev` prints at start: URLs, project, database and model. */
export function banner(options: BannerOptions, { paint }: Terminal): string {
  const { url, project, production, projectToken } = options
  const { config, load } = options.server
  const model = config && modelRow(config, { root: project.root, production })
  const schedules = schedulesText(options.server)
  const rows = [
    ...((config?.console ?? true) ? [['Console', consoleLink(url, projectToken)]] : []),
    ['Home', link(url, ENDPOINTS.getLanding.path)],
    ...((config?.enableSwaggerUI ?? !production) ? [['API', link(url, ENDPOINTS.getApiExplorer.path)]] : []),
    ['OpenAPI', link(url, ENDPOINTS.getApiDescription.path)],
    ['Project', projectText(project, config)],
    ...(config ? [['Database', databaseText(config, options)]] : []),
    ...(schedules === undefined ? [] : [['Schedules', schedules]]),
    ...(model === undefined ? [] : [['Model', model]]),
  ]
  const generation = load === undefined ? '' : `, generation ${load.generation}`
  const ready = `ready in ${Math.round(performance.now())} ms${generation}`
  const lines = rows.map(([name = '', value = '']) => `  ${paint.dim(name.padEnd(9))} ${value}`)
  return `\n  ${paint.bold(`agentserver ${VERSION}`)}  ${paint.dim(ready)}\n\n${lines.join('\n')}\n`
}

/**
 * The address of the console. It hands the project's token to the console in the fragment, which is sent to no server
 * and which the console removes from the address bar.
 */
export function consoleLink(url: string, projectToken: string | undefined): string {
  return link(url, CONSOLE_PATH) + (projectToken === undefined ? '' : `#token=${projectToken}`)
}

/** The models; agents need a package that a project without agents does not install. */
function modelRow(
  config: ServerConfig,
  { root, production }: { readonly root: string; readonly production: boolean },
): string | undefined {
  const text = modelText(config, { env: process.env, production })
  // Plug'n'Play has no node_modules to look into
  const isFound = process.versions['pnp'] !== undefined || installedVersion(root, 'ai') !== undefined
  if (text === undefined || isFound) return text
  return `${text}; the package ai is not installed: npm install ai@6`
}

function link(url: string, route: string): string {
  return new URL(route, url).href
}

function projectText({ root, configFile }: Project, config: ServerConfig | undefined): string {
  const inHome = path.relative(os.homedir(), root)
  const shown = inHome.startsWith('..') || path.isAbsolute(inHome) ? root : path.join('~', inHome)
  const counts = config ? `, ${count(config.workflows, 'workflow')}, ${count(config.agents, 'agent')}` : ''
  return `${shown} (${path.basename(configFile)}${counts})`
}

function databaseText({ database }: ServerConfig, { ignoredDatabaseUrl }: BannerOptions): string {
  const place = maskPassword(database).replace(/^file:(?!\/\/)/, '')
  return ignoredDatabaseUrl === undefined ? place : `${place} (${ignoredDatabaseUrl})`
}

function count(things: readonly unknown[], name: string): string {
  return `${things.length} ${name}${things.length === 1 ? '' : 's'}`
}
