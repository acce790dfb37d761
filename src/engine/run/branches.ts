import { Scope } from '../../lib/async/scope.ts'
import { RunAborted, Parked } from './errors.ts'

export type ScopedBranch = (scope: Scope) => Promise<string>

/**
 * Runs branches side by side and waits for all. The first failure aborts the others and is thrown at once. If
 * none fails but some park, the whole parks when the others are done.
 */
export async function runAll(branches: readonly ScopedBranch[], parent: Scope): Promise<string[]> {
  const scope = new Scope(parent)
  const parked: (Parked | undefined)[] = []
  try {
    const results = await Promise.all(
      branches.map(async (branch, index) => {
        try {
          return await branch(scope)
        } catch (error) {
          if (!(error instanceof Parked)) throw error
          parked[index] = error
          return 'null'
        }
      }),
    )
    const first = firstParked(parked)
    if (first) throw first
    return results
  } catch (error) {
    scope.abort(new RunAborted('Another branch failed'))
    throw error
  } finally {
    scope.close()
  }
}

/**
 * Runs branches side by side until the first completes; the others are aborted. If none completes it parks
 * with the first that parked, else throws the first failure.
 */
export async function runRace(branches: readonly ScopedBranch[], parent: Scope): Promise<string> {
  const scope = new Scope(parent)
  const parked: (Parked | undefined)[] = []
  const failures: unknown[] = []
  try {
    return await Promise.any(
      branches.map(async (branch, index) => {
        try {
          return await branch(scope)
        } catch (error) {
          if (error instanceof Parked) parked[index] = error
          else failures.push(error)
          throw error
        }
      }),
    )
  } catch {
    throw firstParked(parked) ?? failures[0]
  } finally {
    scope.abort(new RunAborted('Another branch was first'))
  }
}

/** A step that asked something comes before one that was merely stopped at. */
function firstParked(parked: readonly (Parked | undefined)[]): Parked | undefined {
  return parked.find((one) => one && !one.external) ?? parked.find((one) => one)
}
