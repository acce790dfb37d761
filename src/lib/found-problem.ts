import { declarationOf } from './declared-at.ts'
import type { FoundProblem } from './declared-at.ts'

/** Problems that are found in the declaration itself. */
export function asProblems(messages: readonly string[]): FoundProblem[] {
  return messages.map((message) => ({ message }))
}

/** The messages of problems. */
export function problemMessages(problems: readonly FoundProblem[]): string[] {
  return problems.map(({ message }) => message)
}

interface WithProblems {
  readonly problems?: readonly string[]
}

/** The problems of a declared object and of those within it, each with its declaration. `before` begins their messages. */
export function problemsOf(declared: object, before: string): FoundProblem[] {
  const own = declarationOf(declared)
  // older copies of the package have only the messages
  const found = own?.problems ?? asProblems((declared as WithProblems).problems ?? [])
  return found.map(({ message, declaration = own }) => ({ message: before + message, declaration }))
}
