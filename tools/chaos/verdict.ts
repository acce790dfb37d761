import { messageOf } from '../../src/lib/errors.ts'

/** What a chaos run has found. */
export interface Verdict {
  /** What was promised and did not hold, one line each. */
  readonly violations: readonly string[]
  /** What the harness waited for in vain, one line each. They say nothing about what was promised. */
  readonly timeouts: readonly string[]
  /** The rounds that went as planned. */
  readonly rounds: number
  /** The folder of the project, with its database, its logs and the plan, unless everything held. */
  readonly kept?: string
}

/** Reads violations from the last server; one that can't be asked any more is no violation. */
export async function readViolations(
  read: () => AsyncIterable<string>,
): Promise<Pick<Verdict, 'violations' | 'timeouts'>> {
  const violations: string[] = []
  try {
    for await (const violation of read()) violations.push(violation)
    return { violations, timeouts: [] }
  } catch (error) {
    return { violations, timeouts: [`the records of the last server could not be read: ${messageOf(error)}`] }
  }
}

/** The exit codes of `npm run chaos`. */
export const EXIT = { held: 0, violated: 1, usage: 2, undecided: 3 } as const

/** The end of the report, and the exit code: violations count more than a harness that timed out. */
export function reportOf(
  { violations, timeouts, rounds, kept }: Verdict,
  { planned, repeat }: { readonly planned: number; readonly repeat: (kept: string) => string },
): { readonly text: string; readonly exitCode: number } {
  const exitCode = violations.length > 0 ? EXIT.violated : timeouts.length > 0 ? EXIT.undecided : EXIT.held
  const verdict = {
    [EXIT.held]: 'Everything held.',
    [EXIT.violated]: `${violations.length} violations in ${rounds} of ${planned} rounds`,
    [EXIT.undecided]: `Undecided: the harness timed out. No violations in ${rounds} of ${planned} rounds`,
  }[exitCode]
  const lines = [
    ...violations.map((violation) => `violation: ${violation}`),
    ...timeouts.map((timeout) => `harness timed out: ${timeout}`),
    verdict,
    ...(kept === undefined ? [] : [`Database, logs and plan: ${kept}`, `Repeat with: ${repeat(kept)}`]),
  ]
  return { text: `${lines.join('\n')}\n`, exitCode }
}

/** The report about a plan that was to be shrunk and had no violation. `undecided`: the harness waited in vain. */
export function nothingToShrink(undecided: Pick<Verdict, 'timeouts'> | undefined): {
  readonly text: string
  readonly exitCode: number
} {
  if (!undecided) return { text: 'No violations this time: nothing to shrink.\n', exitCode: EXIT.held }
  const timeouts = undecided.timeouts.map((timeout) => `harness timed out: ${timeout}\n`).join('')
  return {
    text: `${timeouts}Undecided: the harness timed out, without violations: nothing to shrink.\n`,
    exitCode: EXIT.undecided,
  }
}
