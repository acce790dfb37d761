import { AppError } from '../lib/errors.ts'

export interface CommandOptions {
  readonly cwd: string
  readonly timeoutMs: number
  /** Receives each line of the output. */
  readonly onOutput?: ((line: string) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface CommandResult {
  readonly exitCode: number
  readonly stdout: string
  /** The output to stdout and stderr. */
  readonly output: string
}

/** Runs a package manager with arguments. */
export type RunCommand = (command: string, args: readonly string[]) => Promise<CommandResult>

/**
 * One quick retry, so that an unreachable registry is reported soon. npm, pnpm and Yarn 1 read the `npm_config`
 * variables, Yarn 2 and later the `YARN` ones.
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

/** The texts by which package managers report an unreachable registry. */
const NETWORK_FAILURE =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ECONNABORTED|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EPIPE|ERR_SOCKET_TIMEOUT|ERR_SOCKET_CLOSED|FETCH_ERROR|ConnectionRefused|ConnectionClosed|FailedToOpenSocket|DNSResolveFailed|socket hang up|network timeout|ENOTCACHED)\b/

/**
 * Creates a function that runs package managers in the project, without a shell and with the user's configuration.
 *
 * It rejects with an AppError `unavailable` if the registry is unreachable or the command is not installed.
 */
export function commandRunner({ cwd, timeoutMs, onOutput, signal }: CommandOptions): RunCommand {
  return async (command, args) => {
    const report = function* (line: unknown) {
      onOutput?.(String(line))
      yield line
    }
    // loaded on first use, because most servers never run a command
    const { execa } = await import('execa')
    const result = await execa(command, args, {
      cwd,
      env: ENVIRONMENT,
      stdin: 'ignore',
      stdout: report,
      stderr: report,
      all: true,
      reject: false,
      timeout: timeoutMs,
      maxBuffer: 16 * 1024 * 1024,
      ...(signal && { cancelSignal: signal }),
    })
    const { exitCode, timedOut, stdout, all: output, failed } = result
    if (timedOut) throw unreachable(`no response within ${timeoutMs / 1000} s`)
    if (result.code === 'ENOENT') throw notInstalled(command)
    const failure = failed ? NETWORK_FAILURE.exec(output)?.[1] : undefined
    if (failure !== undefined) throw unreachable(failure)
    if (exitCode === undefined) throw new AppError('unavailable', `${command} was stopped`)
    return { exitCode, stdout, output }
  }
}

function unreachable(reason: string): AppError {
  return new AppError('unavailable', `The package registry is unreachable (${reason})`, {
    hint: 'Check the network connection, and the registry and proxy settings of npm.',
  })
}

function notInstalled(command: string): AppError {
  return new AppError('unavailable', `The project's package manager ${command} is not installed`)
}

/** The error for a failed command. Its message contains the command's error code; the output is only in its cause. */
export function commandFailed(message: string, { exitCode, output }: CommandResult): AppError {
  const code =
    /\b(?:code|error|ERR!?)\s+((?:ERR_PNPM_)?E[A-Z0-9][A-Z0-9_]{2,40}|YN\d{4})\b|\b(ERR_PNPM_\w+|YN00\d\d)\b/.exec(
      output,
    )
  const reason = code?.[1] ?? code?.[2] ?? `exit code ${exitCode}`
  return new AppError('install_failed', `${message} (${reason})`, { cause: new Error(tailOf(output)) })
}

const TAIL_LINES = 20

/** The last lines of the output without credentials, for the log. */
function tailOf(output: string): string {
  return output
    .trim()
    .split('\n')
    .slice(-TAIL_LINES)
    .join('\n')
    .replace(/\/\/[^\s/@]*@/g, '//')
    .replace(/((?:_?auth(?:Token)?|_?password|token)\s*[=:]\s*|Bearer\s+)\S+/gi, '$1[redacted]')
}
