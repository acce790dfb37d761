import { loadProjectPackage } from '../../agent/models/load-package.ts'
import { AppError } from '../../lib/errors.ts'

/** Defines a test with its name, its function and its time limit in milliseconds: `test` of Vitest, Jest or Bun. */
export type TestFunction = (name: string, run: () => Promise<void>, timeoutMs: number) => unknown

interface TestFunctions {
  readonly test: TestFunction
  readonly afterAll: (run: () => Promise<void>) => unknown
}

/**
 * The functions that define tests: those that are given, else the global ones, else those of the Vitest that is installed
 * in the project.
 *
 * @throws TypeError when there are none.
 */
export async function testFunctions(
  given: TestFunction | undefined,
  projectDir: string,
): Promise<TestFunctions> {
  const { test, afterAll = () => undefined } = globalThis as Partial<TestFunctions>
  const found = given ?? test
  if (found) return { test: found, afterAll }
  try {
    return await loadProjectPackage<TestFunctions>('vitest@4', projectDir)
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause
    throw new TypeError(
      'evalCases() requires a function `test`: run it with Vitest, or pass { test } of your test runner',
      { cause },
    )
  }
}
