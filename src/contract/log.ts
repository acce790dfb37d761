import { z } from 'zod'
import { Instant, JsonObject } from './fields.ts'

/** From the most talkative on. A filter by level means this one and those after it. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

export const LogLevel = z.enum(LOG_LEVELS)
export type LogLevel = z.infer<typeof LogLevel>

/** One record of the log, of the system or of user code. Secrets are out of it. */
export const LogRecord = z
  .object({
    id: z
      .string()
      .describe('Digits that grow with time: a record that was made later has the greater number'),
    timestamp: Instant,
    level: LogLevel,
    message: z.string(),
    attributes: JsonObject.describe(
      'What else was logged; `workflowId`, `stepId`, `agentId`, `requestId` and `err` among it, where they apply',
    ),
    traceId: z.string().nullable(),
    spanId: z.string().nullable(),
    executionId: z.string().nullable(),
  })
  .meta({ id: 'LogRecord' })
export type LogRecord = z.infer<typeof LogRecord>
