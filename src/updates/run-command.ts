import { AppError } from '../lib/errors.ts'

export interface CommandOptions {
  readonly cwd: string
  readonly timeoutMs: number
  /** Told each line of the output as it comes. */
  readonly onOutput?: ((line: string) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface CommandResult {
  readonly exitCode: number
  readonly stdout: string
  /** Both streams, as far as they tell what went wrong. */
  readonly output: string
}

/** Runs a package manager with arguments. */
export type RunCommand = (command: string, args: readonly string[]) => Promise<CommandResult>

/**
 * Waiting long for a registry helps nobody: one more try, soon. npm, pnpm and yarn read the first kind of
 * variables, yarn since version 2 the second.
 */
const ENVIRONMENT = {
  npm_config_fetch_retries: '1',
  npm_config_fetch_retry_mintimeout: '500',
  npm_config_fetch_retry_maxtimeout: '1000',
  npm_config_update_notifier: 'false',
  YARN_HTTP_RETRY: '1',
  YARN_ENABLE_TELEMETRY: '0',
  COREPACK_ENABLE_DOWNLOAD_PROMPT: '0',
  FORCE_COLOR: '0',
  NO_COLOR: '1',
}

/** How the package managers say that the registry did not answer. */
const NETWORK_FAILURE =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ECONNABORTED|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EPIPE|ERR_SOCKET_TIMEOUT|ERR_SOCKET_CLOSED|FETCH_ERROR|ConnectionRefused|ConnectionClosed|FailedToOpenSocket|DNSResolveFailed|socket hang up|network timeout|ENOTCACHED)\b/

/**
 * Makes what runs package managers: without a shell, in the project, with the user's own configuration of them.
 *
 * Rejects with an AppError `unavailable` when the registry does not answer or the command is not installed.
 */
export function commandRunner({ cwd, timeoutMs, onOutput, signal }: CommandOptions): RunCommand {
  return async (command, args) => {
    const tell = function* (line: unknown) {
      onOutput?.(String(line))
      yield line
    }
    // loaded when the first command runs: a server may never run one
    const { execa } = await import('execa')
    const result = await execa(command, args, {
      cwd,
      env: ENVIRONMENT,
      stdin: 'ignore',
      stdout: tell,
      stderr: tell,
      all: true,
      reject: false,
      timeout: timeoutMs,
      maxBuffer: 16 * 1024 * 1024,
      ...(signal && { cancelSignal: signal }),
    })
    const { exitCode, timedOut, stdout, all: output, failed } = result
    if (timedOut) throw unreachable(`no answer within ${timeoutMs / 1000} s`)
    if (result.code === 'ENOENT') throw notInstalled(command)
    const failure = failed ? NETWORK_FAILURE.exec(output)?.[1] : undefined
    if (failure !== undefined) throw unreachable(failure)
    if (exitCode === undefined) throw new AppError('unavailable', `${command} was stopped`)
    return { exitCode, stdout, output }
  }
}

/** The registry did not answer. */
function unreachable(why: string): AppError {
  return new AppError('unavailable', `The package registry can not be reached (${why})`, {
    hint: 'Check the network, and the registry and proxy in the configuration of npm.',
  })
}

function notInstalled(command: string): AppError {
  return new AppError('unavailable', `${command}, the package manager of this project, is not installed`)
}

/** A command ended as it should not have. Tells what the command called it, and nothing else of its output. */
export function commandFailed(what: string, { exitCode, output }: CommandResult): AppError {
  const code =
    /\b(?:code|error|ERR!?)\s+((?:ERR_PNPM_)?E[A-Z0-9][A-Z0-9_]{2,40}|YN\d{4})\b|\b(ERR_PNPM_\w+|YN00\d\d)\b/.exec(
      output,
    )
  const why = code?.[1] ?? code?.[2] ?? `exit code ${exitCode}`
  return new AppError('install_failed', `${what} (${why})`, { cause: new Error(tailOf(output)) })
}

const TAIL_LINES = 20

/** The last lines, for the log, without credentials. */
function tailOf(output: string): string {
  return output
    .trim()
    .split('\n')
    .slice(-TAIL_LINES)
    .join('\n')
    .replace(/\/\/[^\s/@]*@/g, '//')
    .replace(/((?:_?auth(?:Token)?|_?password|token)\s*[=:]\s*|Bearer\s+)\S+/gi, '$1[redacted]')
}
