import { andAgent } from './and-agent.ts'
import { andAll } from './and-all.ts'
import { andBranch } from './and-branch.ts'
import { andDoUntil } from './and-do-until.ts'
import { andDoWhile } from './and-do-while.ts'
import { andForEach } from './and-for-each.ts'
import { andRace } from './and-race.ts'
import { andSleep } from './and-sleep.ts'
import { andSleepUntil } from './and-sleep-until.ts'
import { andWaitForEvent } from './and-wait-for-event.ts'
import { andTap } from './and-tap.ts'
import { andThen } from './and-then.ts'
import { andTry } from './and-try.ts'
import { andWhen } from './and-when.ts'
import { andWorkflow } from './and-workflow.ts'

/** The step kinds. A workflow has one method per kind. */
export const STEP_KINDS = {
  andThen,
  andWhen,
  andBranch,
  andTry,
  andAll,
  andRace,
  andForEach,
  andDoWhile,
  andDoUntil,
  andSleep,
  andSleepUntil,
  andWaitForEvent,
  andTap,
  andAgent,
  andWorkflow,
} as const
