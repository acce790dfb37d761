import { STATUS_BY_CODE } from '../../../src/lib/errors.ts'
import type { ErrorCode } from '../../../src/lib/errors.ts'
import type { Blocks } from './generated-blocks.ts'
import { code, table } from './markdown.ts'

/** When each code is used. A code without a line does not compile. */
const MEANING: Readonly<Record<ErrorCode, string>> = {
  invalid_input: 'A path, query, body, option or argument is not valid',
  not_suspendable: 'The execution is not running',
  not_cancellable: 'The execution has ended',
  unauthorized: 'Credentials are missing or not valid',
  forbidden: 'The host, the origin or the operation is not allowed',
  not_found: 'The route or the named thing does not exist',
  not_resumable: 'The execution does not exist or is not suspended',
  method_not_allowed: 'The path has other methods',
  conflict:
    'The state of the server does not allow it: an id is used, a step no longer exists, a lock is held',
  payload_too_large: 'The body is larger than the limit',
  unsupported_media_type: 'The body is not JSON',
  too_many_requests: 'Too many executions wait already; `Retry-After` says when to try again',
  budget_exceeded: 'A model call would exceed a budget; with `every`, `Retry-After` says when to try again',
  execution_failed: 'An execution, a tool or a model call failed',
  install_failed: 'A package manager failed',
  internal: 'A failure of the server itself',
  unavailable: 'Something that is needed is not available at the moment',
  invalid_config: 'The configuration or the environment is not valid; exit code 2',
  database_locked: 'Another process owns the database; exit code 2',
  unreachable: 'The server at `--url` can not be reached; exit code 4',
}

/** The generated parts of docs/reference/errors.md. */
export function errorBlocks(): Blocks {
  const codes = Object.entries(STATUS_BY_CODE) as [ErrorCode, number][]
  return {
    codes: table(
      ['Code', 'Status', 'Meaning'],
      codes.map(([name, status]) => [code(name), String(status), MEANING[name]]),
    ),
  }
}
