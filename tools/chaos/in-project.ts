import { messageOf } from '../../src/lib/errors.ts'
import { makeProject, removeProject } from '../bench/project.ts'
import { type ChaosDatabase, postgresDatabase, SQLITE } from './chaos-database.ts'
import type { Plan } from './plan.ts'
import type { Verdict } from './verdict.ts'

export interface ChaosOptions {
  readonly plan: Plan
  /** Records are on Postgres. Default: SQLite. */
  readonly postgres?: boolean | undefined
  /** The checkout whose build is started. Default: this one. */
  readonly repository?: string | undefined
  readonly onRound?: ((round: number) => void) | undefined
}

interface Place {
  readonly root: string
  readonly database: ChaosDatabase
}

/** In the folder of the project. */
export const PLAN_FILE = 'plan.json'

/** Runs chaos in a project of its own, of which the folder is kept unless everything held. */
export async function inProject<V extends Verdict>(
  files: Readonly<Record<string, string>>,
  { plan, postgres = false, repository }: Omit<ChaosOptions, 'onRound'>,
  run: (place: Place) => Promise<V>,
): Promise<V> {
  const root = makeProject({ ...files, [PLAN_FILE]: JSON.stringify(plan, null, 2) }, repository)
  try {
    const database: ChaosDatabase = postgres ? await postgresDatabase(root) : SQLITE
    try {
      const verdict = await run({ root, database })
      if (verdict.violations.length + verdict.timeouts.length === 0) {
        removeProject(root)
        return verdict
      }
      await database.keep()
      return { ...verdict, kept: root }
    } finally {
      await database.end()
    }
  } catch (error) {
    throw new Error(`${messageOf(error)}\nDatabase, logs and plan: ${root}`, { cause: error })
  }
}
