import { createApiClient } from '../../client/api.ts'
import type { ApiClient } from '../../client/api.ts'
import { CONSOLE_PATH } from '../../contract/endpoints/pages.ts'
import { AppError } from '../../lib/errors.ts'
import { isProduction } from '../../server/is-production.ts'
import type { CommandCall, CommonOptions } from '../command.ts'
import { findTarget } from './find-server.ts'
import path from 'node:path'
import type { Project } from '../../config/project.ts'
import { InProcessServer } from '../../server/project/in-process-server.ts'
import { PROJECT_CODE } from '../lifetime.ts'
import { resolveMode } from '../options/load-config.ts'
import { LogLines } from '../print/log-lines.ts'
import { serverLogs } from '../serve/open-logs.ts'

export interface OpenInProcessOptions {
  readonly call: CommandCall
  readonly readOnly: boolean
}

/** Serves a project inside this process until the command ends. Returns its fetch function. */
export async function openInProcess(
  project: Project,
  { call, readOnly }: OpenInProcessOptions,
): Promise<(request: Request) => Promise<Response>> {
  const { options, terminal, lifetime } = call
  const server = new InProcessServer({
    project,
    mode: resolveMode(process.env, 'development'),
    openLogs: () => serverLogs(call, project.root, new LogLines(terminal, { requests: false }).print),
    readOnly,
    // credentials that were passed decide about access, as they would on a running server
    operator: options.key === undefined && options.token === undefined,
    onHint: (text) => terminal.note(terminal.notePaint.dim(text)),
  })
  lifetime.defer(() => server.close(lifetime.stalled ? 0 : undefined))
  lifetime.waitsFor = path.basename(project.configFile)
  await server.start()
  lifetime.waitsFor = PROJECT_CODE
  return server.fetch
}

/** A client for the server that a command works with. */
export interface Connection {
  readonly client: ApiClient
  /** The server's base URL. Undefined if the project runs inside this process. */
  readonly url: string | undefined
  /** The URL of a page of the console, by its path in the console. Undefined if the server has no console. */
  readonly consoleLink: ConsoleLink
}

export type ConsoleLink = (path: string) => Promise<string | undefined>

export interface ConnectOptions {
  /** The command only reads, so it works while another process owns the database. */
  readonly readOnly?: boolean
}

const CONSOLE_TIMEOUT_MS = 1000

/** Connects to `--url`, else to the project's running server, else runs the project inside this process. */
export async function connect(
  call: CommandCall,
  { readOnly = false }: ConnectOptions = {},
): Promise<Connection> {
  const { options, terminal } = call
  if (options.url !== undefined) return remote(serverUrl(options.url), options)
  const target = await findTarget(process.cwd(), options.config)
  if (target.kind === 'server') return remote(target.info.url, options)
  terminal.protectStdout()
  const fetch = await openInProcess(target.project, { call, readOnly })
  return {
    client: createApiClient({ baseUrl: 'http://localhost', fetch, ...credentials(options) }),
    url: undefined,
    consoleLink: () => Promise.resolve(undefined),
  }
}

function remote(url: string, options: CommonOptions): Connection {
  return {
    client: createApiClient({ baseUrl: url, fetch: fetchFor(url), ...credentials(options) }),
    url,
    consoleLink: (path) => consoleLink(url, path),
  }
}

/** The URL of a page of the console, if the console is on. */
async function consoleLink(url: string, path: string): Promise<string | undefined> {
  const base = url.replace(/\/$/, '') + CONSOLE_PATH
  try {
    const { ok } = await fetch(base, { method: 'HEAD', signal: AbortSignal.timeout(CONSOLE_TIMEOUT_MS) })
    return ok ? `${base}${path}` : undefined
  } catch {
    // the server stopped in the meantime; its result is printed without a link
    return undefined
  }
}

/** The credentials. Without any, and outside production, the development bypass is used. */
function credentials({ key, token }: CommonOptions) {
  const dev = key === undefined && token === undefined && !isProduction(process.env)
  return { consoleKey: key, token, dev }
}

function serverUrl(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text
  throw new AppError('invalid_input', `--url: "${text}" is not an http or https URL`, {
    hint: 'Example: --url http://127.0.0.1:3141',
  })
}

function fetchFor(url: string): (request: Request) => Promise<Response> {
  return async (request) => {
    const response = await fetch(request).catch((cause: unknown) => {
      throw unreachable(url, cause)
    })
    const type = response.headers.get('content-type') ?? ''
    if (!response.ok || /^(?:application\/json|text\/event-stream)\b/.test(type)) return response
    throw new AppError('unreachable', `The server at ${url} is not an agentserver`)
  }
}

function unreachable(url: string, cause: unknown): AppError {
  const { code } = ((cause as Error).cause ?? {}) as NodeJS.ErrnoException
  return new AppError('unreachable', `Cannot connect to ${url}${code === undefined ? '' : ` (${code})`}`, {
    cause,
    hint: 'Start the server with `agentserver dev`, or pass the URL of another one with --url.',
  })
}
