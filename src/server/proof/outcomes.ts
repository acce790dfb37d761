import type { CaseRules } from '../../contract/evals/case.ts'
import { stepIdAt } from '../../contract/step-path.ts'
import { differences } from '../../evals/cases/differences.ts'
import type { Difference } from '../../evals/cases/differences.ts'
import { isInstant, isUuid } from '../../evals/keep/changing-values.ts'
import { parsePointer } from '../../lib/json/json-pointer.ts'
import type { Findings } from './findings.ts'
import type { CrashPoint } from './recorded-steps.ts'

/** How a run has ended. */
export interface ProofOutcome {
  readonly status: string
  readonly result?: unknown
  readonly error?: { readonly name: string; readonly message: string; readonly stepId?: string }
}

interface Compared {
  /** `undefined`: it did not end. */
  readonly outcome: ProofOutcome | undefined
  /** That of the pass that was crashed before it was stored. */
  readonly lostOutcome: ProofOutcome | undefined
}

const IGNORE = { ignore: true } as const
/** Numbers that are times in milliseconds are near the present one. */
const CLOCK_SKEW_MS = 400 * 86_400_000

/** Compares how runs with a crash end with how they end without one. */
export class Outcomes {
  readonly #expected: ProofOutcome
  readonly #given: CaseRules
  /** What differs without a crash. */
  readonly #changing: CaseRules

  private constructor(expected: ProofOutcome, given: CaseRules, changing: CaseRules) {
    this.#expected = expected
    this.#given = given
    this.#changing = changing
  }

  /** @param rules how values of the result are compared, by their pointers */
  static async of(
    first: ProofOutcome,
    second: ProofOutcome | undefined,
    rules: CaseRules,
  ): Promise<Outcomes> {
    const given = Object.fromEntries(
      Object.entries(rules).map(([pointer, rule]) => [`/result${pointer}`, rule]),
    )
    const changing = await differences(first, second ?? first, given)
    const ignored = changing.map(({ pointer }) => [pointer, IGNORE] as const)
    return new Outcomes(first, given, Object.fromEntries(ignored))
  }

  async compare(
    { outcome, lostOutcome }: Compared,
    { point, findings }: { readonly point: CrashPoint; readonly findings: Findings },
  ): Promise<void> {
    if (!outcome) return
    const expected = this.#expected
    const isGenerated = (value: unknown) => isTime(value) || isUuid(value)
    const rules = { ...this.#changing, ...this.#given }
    for (const { pointer, message } of await differencesBut(isGenerated, { expected, outcome, rules }))
      findings.add('differentResults', {
        point,
        stepId: stepIdAt(point.path),
        subject: pointer,
        message: `${placeOf(pointer)}: ${message} after a crash. What ran again did not do the same: give side effects the idempotencyKey, and take what the code decides by from the input or from recorded calls`,
      })
    if (!lostOutcome) return
    const lost = { expected: lostOutcome, outcome, rules: this.#given }
    for (const { pointer, message } of await differencesBut(isTime, lost))
      findings.add('differentResults', {
        point,
        stepId: '',
        subject: pointer,
        message: `${placeOf(pointer)}: ${message} when the code ran again over the same record: it is made outside of recorded calls. Make it in one, such as await step.run('…', () => …)`,
      })
  }
}

interface Pair {
  readonly expected: ProofOutcome
  readonly outcome: ProofOutcome
  readonly rules: CaseRules
}

/** The differences, without those between values that are both generated. */
async function differencesBut(
  isGenerated: (value: unknown) => boolean,
  { expected, outcome, rules }: Pair,
): Promise<readonly Difference[]> {
  const found = await differences(expected, outcome, rules)
  return found.filter(
    ({ pointer }) => !isGenerated(valueAt(expected, pointer)) || !isGenerated(valueAt(outcome, pointer)),
  )
}

function isTime(value: unknown): boolean {
  return isInstant(value) || (typeof value === 'number' && Math.abs(value - Date.now()) < CLOCK_SKEW_MS)
}

function valueAt(value: unknown, pointer: string): unknown {
  let at = value
  for (const key of parsePointer(pointer) ?? []) at = (at as Record<string, unknown> | undefined)?.[key]
  return at
}

/** The place in the outcome, in words. */
function placeOf(pointer: string): string {
  return pointer === '/result' ? 'The result' : pointer.slice(1).replaceAll('/', '.')
}
