import { z } from 'zod'
import { EXECUTION_STATUSES } from './status/execution-statuses.ts'

export const ExecutionStatus = z.enum(EXECUTION_STATUSES)
export type ExecutionStatus = z.infer<typeof ExecutionStatus>

/** The status of a workflow: `running` while any of its executions runs, otherwise `idle`. */
export const WorkflowStatus = z.enum(['idle', ...EXECUTION_STATUSES])

/** The members of an execution that a list leaves out when they are too large. */
export const OmittedValue = z.enum(['input', 'output', 'events'])
export type OmittedValue = z.infer<typeof OmittedValue>

export const StepStatus = z.enum(['running', 'completed', 'error', 'skipped', 'suspended', 'cancelled'])
export type StepStatus = z.infer<typeof StepStatus>

export const STEP_TYPES = [
  'andThen',
  'andWhen',
  'andAll',
  'andRace',
  'andBranch',
  'andTry',
  'andForEach',
  'andDoWhile',
  'andDoUntil',
  'andSleep',
  'andSleepUntil',
  'andWaitForEvent',
  'andTap',
  'andAgent',
  'andWorkflow',
  // a chain of steps within another one
  'group',
  // the function of a workflow that is one
  'function',
] as const
export const StepType = z.enum(STEP_TYPES).meta({ id: 'StepType' })
export type StepType = z.infer<typeof StepType>

/** Steps that wait for a time or an event, and for nobody. */
export const WAIT_TYPES: ReadonlySet<StepType> = new Set(['andSleep', 'andSleepUntil', 'andWaitForEvent'])

/** How far a step with items or rounds is. */
export const LoopProgress = z
  .object({
    done: z.int().describe('Items, or rounds, that have ended'),
    failed: z.int().optional().describe('Those of them that have failed; absent when none has'),
    total: z.int().optional().describe('All items; a loop does not know its last round'),
  })
  .meta({ id: 'LoopProgress' })

/** Why the completed steps of an execution are compensated. */
export const CompensationReason = z.enum(['error', 'timeout', 'cancelled']).meta({ id: 'CompensationReason' })
export type CompensationReason = z.infer<typeof CompensationReason>

/** How the compensations of an execution have ended. */
export const Compensation = z.enum(['completed', 'failed']).meta({ id: 'Compensation' })
export type Compensation = z.infer<typeof Compensation>

export const Compensating = z.object({ reason: CompensationReason }).meta({ id: 'Compensating' })
