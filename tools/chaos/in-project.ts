import { messageOf } from '../../src/lib/errors.ts'
import { makeProject, removeProject } from '../bench/project.ts'
import { postgresDatabase, SQLITE } from './chaos-database.ts'
import type { Verdict } from './verdict.ts'

export interface ChaosOptions {
  readonly seed: number
  /** The number of times that the server is killed. */
  readonly rounds: number
  /** Records are on Postgres. Default: SQLite. */
  readonly postgres?: boolean | undefined
  readonly onRound?: (round: number) => void
}

interface Place {
  readonly root: string
  /** For the server, so that it uses the database. */
  readonly env: Readonly<Record<string, string>>
}

/** Runs chaos in a project of its own, of which the folder is kept unless everything held. */
export async function inProject<V extends Verdict>(
  files: Readonly<Record<string, string>>,
  { postgres = false }: Pick<ChaosOptions, 'postgres'>,
  run: (place: Place) => Promise<V>,
): Promise<V> {
  const root = makeProject(files)
  try {
    const database = postgres ? await postgresDatabase(root) : SQLITE
    try {
      const verdict = await run({ root, env: database.env })
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
    throw new Error(`${messageOf(error)}\nDatabase and logs: ${root}`, { cause: error })
  }
}
