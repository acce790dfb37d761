import { andAgent } from './and-agent.ts'
import { andAll } from './and-all.ts'
import { andRace } from './and-race.ts'
import { andTap } from './and-tap.ts'
import { andThen } from './and-then.ts'
import { andWhen } from './and-when.ts'
import { andWorkflow } from './and-workflow.ts'

/** The step kinds. A workflow has one method per kind. */
export const STEP_KINDS = { andThen, andWhen, andAll, andRace, andTap, andAgent, andWorkflow } as const
