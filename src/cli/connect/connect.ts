import { createClient } from '../../client/create-client.ts'
import type { Client } from '../../client/create-client.ts'
import { CONSOLE_PATH } from '../../contract/endpoints/docs.ts'
import { AppError } from '../../lib/errors.ts'
import { isProduction } from '../../server/is-production.ts'
import type { CommandCall, CommonOptions } from '../command.ts'
import { findTarget } from './find-server.ts'

/** What a command talks to. */
export interface Connection {
  readonly client: Client
  /** The server's base URL; none when the project was loaded into this process. */
  readonly url: string | undefined
  /** Where the server's console shows an execution, if it has one. */
  readonly consoleLink: (executionId: string) => Promise<string | undefined>
}

export interface ConnectOptions {
  /** The command changes nothing, so that it also works beside a process that owns the database. */
  readonly readOnly?: boolean
}

const CONSOLE_MS = 1000

/** Connects to `--url`, else to the project's running server, else loads the project and serves it in place. */
export async function connect(
  call: CommandCall,
  { readOnly = false }: ConnectOptions = {},
): Promise<Connection> {
  const { options, terminal } = call
  if (options.url !== undefined) return remote(serverUrl(options.url), options)
  const target = await findTarget(process.cwd(), options.config)
  if (target.kind === 'server') return remote(target.info.url, options)
  terminal.protectStdout()
  const { openInProcess } = await import('./open-in-process.ts')
  const fetch = await openInProcess(target.project, { call, readOnly })
  return {
    client: createClient({ baseUrl: 'http://localhost', fetch, ...credentials(options) }),
    url: undefined,
    consoleLink: () => Promise.resolve(undefined),
  }
}

function remote(url: string, options: CommonOptions): Connection {
  return {
    client: createClient({ baseUrl: url, fetch: fetchFrom(url), ...credentials(options) }),
    url,
    consoleLink: (executionId) => consoleLink(url, executionId),
  }
}

/** The console may be off, and then there is nothing to see. */
async function consoleLink(url: string, executionId: string): Promise<string | undefined> {
  const base = url.replace(/\/$/, '') + CONSOLE_PATH
  try {
    const { ok } = await fetch(base, { method: 'HEAD', signal: AbortSignal.timeout(CONSOLE_MS) })
    return ok ? `${base}executions/${encodeURIComponent(executionId)}` : undefined
  } catch {
    // the server has gone: what it answered is shown all the same
    return undefined
  }
}

/** Outside production, whoever shows no credentials uses the development bypass. */
function credentials({ key, token }: CommonOptions) {
  const dev = key === undefined && token === undefined && !isProduction(process.env)
  return { consoleKey: key, token, dev }
}

function serverUrl(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text
  throw new AppError('invalid_input', `--url: "${text}" is not an http(s) URL`, {
    hint: 'Example: --url http://127.0.0.1:3141',
  })
}

function fetchFrom(url: string): (request: Request) => Promise<Response> {
  return async (request) => {
    const response = await fetch(request).catch((cause: unknown) => {
      throw unreachable(url, cause)
    })
    const type = response.headers.get('content-type') ?? ''
    if (!response.ok || /^(?:application\/json|text\/event-stream)\b/.test(type)) return response
    throw new AppError('unreachable', `What answers at ${url} is not agentserver`)
  }
}

function unreachable(url: string, cause: unknown): AppError {
  const { code } = ((cause as Error).cause ?? {}) as NodeJS.ErrnoException
  return new AppError('unreachable', `Can't reach ${url}${code === undefined ? '' : ` (${code})`}`, {
    cause,
    hint: 'Start the server with `agentserver dev`, or name another with --url.',
  })
}
