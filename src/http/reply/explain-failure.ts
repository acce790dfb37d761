import type { CallerAccess } from '../../auth/caller-access.ts'
import { CONSOLE_PATH } from '../../contract/endpoints/pages.ts'
import type { ExecutionError } from '../../contract/event.ts'
import { AppError } from '../../lib/errors.ts'
import { serverOrigin } from '../request/server-origin.ts'
import type { Services } from '../services.ts'

interface FailedCall {
  readonly request: Request
  readonly access: CallerAccess
  readonly services: Pick<Services, 'redactor' | 'trustedOrigins' | 'consoleOn' | 'current'>
}

/**
 * The error of a failed execution as development shows it: with its message, its id, the step, and where the console shows
 * it. Other errors, and those of executions that the caller may not read, are returned as they are.
 */
export async function explainFailure(
  error: unknown,
  { request, access, services }: FailedCall,
): Promise<unknown> {
  if (!(error instanceof AppError) || error.code !== 'execution_failed') return error
  const { 'X-Execution-Id': executionId } = error.headers
  const cause = error.cause as ExecutionError | undefined
  if (executionId === undefined || cause === undefined || !(await access.canRead(executionId))) return error
  const { message, stepId } = cause
  const { publicUrl = serverOrigin(request, services.trustedOrigins()) } = services.current().config
  const consoleUrl = `${publicUrl}${CONSOLE_PATH}executions/${encodeURIComponent(executionId)}`
  // the log has the cause of its own
  return new AppError('execution_failed', error.message, {
    headers: error.headers,
    cause,
    beside: {
      error: services.redactor.text(`${error.message}: ${message}`),
      executionId,
      ...(stepId !== undefined && { stepId }),
      ...(services.consoleOn() && { consoleUrl }),
    },
  })
}
