import { z } from 'zod'
import { SuspendedStep } from '../event.ts'
import { StepId } from '../fields.ts'
import { EVERY_STEP } from './breakpoint.ts'

/** The steps before which an execution suspends. */
export const PauseAt = z.array(z.union([StepId, z.literal(EVERY_STEP)])).max(1000)

/** An option for developers; see `consoleOptions` of the endpoints. */
export const PauseAtOption = PauseAt.optional().describe(
  'Console access: ids of steps before which the execution suspends with the reason `breakpoint`; `*` for every step',
)

/** The same for the answers of agents. */
export const PauseBeforeTools = z
  .array(z.string().min(1).max(64))
  .max(1000)
  .optional()
  .describe(
    'Console access: tools before whose calls a recorded answer waits with the reason `breakpoint`; `*` for every tool',
  )

export const ResumeBodyOptions = SuspendedStep.extend({
  data: z
    .unknown()
    .optional()
    .describe('Console access: at a breakpoint, data for the step instead of the result before it'),
  pauseAt: PauseAtOption,
  acceptChanges: z
    .boolean()
    .optional()
    .describe('Console access: run on with the code as it is, also where the record does not fit it'),
})
