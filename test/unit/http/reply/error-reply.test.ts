import { expect, it, vi } from 'vitest'
import type { Logger } from 'pino'
import { errorReply } from '../../../../src/http/reply/error-reply.ts'
import { AppError } from '../../../../src/lib/errors.ts'

function replyTo(error: unknown) {
  const logger = { warn: vi.fn<() => void>(), error: vi.fn<() => void>() }
  const reply = errorReply(error, { logger: logger as unknown as Logger, ids: { requestId: 'r1' } })
  return { ...reply, message: (JSON.parse(reply.body) as { error: string }).error, logger }
}

it('an AppError has its status, headers and message', () => {
  const { status, headers, body, logger } = replyTo(
    new AppError('method_not_allowed', 'Use GET', { headers: { Allow: 'GET' } }),
  )
  expect([status, headers, body]).toEqual([405, { Allow: 'GET' }, '{"success":false,"error":"Use GET"}'])
  expect(logger.error).not.toHaveBeenCalled()
})

it.each([new Error('secret path /etc'), 'text', undefined])('%s is a generic 500 and is logged', (error) => {
  const { status, message, logger } = replyTo(error)
  expect([status, message]).toEqual([500, 'Internal server error'])
  expect(logger.error).toHaveBeenCalledWith({ err: error, requestId: 'r1' }, 'Internal server error')
})

it('an internal AppError does not disclose its message', () => {
  const { message, logger } = replyTo(new AppError('internal', 'SQLITE_CORRUPT in /srv/data.db'))
  expect(message).toBe('Internal server error')
  expect(logger.error).toHaveBeenCalledTimes(1)
})

it('the failure of an execution is a warning without the cause, which the engine has logged', () => {
  const { logger } = replyTo(
    new AppError('execution_failed', 'Failed', {
      cause: new Error('inner'),
      headers: { 'X-Execution-Id': 'e1' },
    }),
  )
  expect(logger.warn).toHaveBeenCalledWith({ err: undefined, requestId: 'r1', executionId: 'e1' }, 'Failed')
})

it('unavailable is not logged', () => {
  const { status, logger } = replyTo(new AppError('unavailable', 'The server is shutting down'))
  expect(status).toBe(503)
  expect(logger.error).not.toHaveBeenCalled()
})
