import type { Agent } from '../../agent/agent.ts'
import type { ApiClient } from '../../client/api.ts'
import { didYouMean } from '../../lib/did-you-mean.ts'
import { AppError, messageOf } from '../../lib/errors.ts'
import { Case, kindAndId, targetName } from '../../contract/evals/case.ts'
import { ALL_CASES, readCases } from '../cases/case-files.ts'
import type { Eval, InlineCase } from '../eval.ts'
import { equals } from '../scorers/output-scorers.ts'
import { namedScorer } from '../scorers/named-scorer.ts'
import type { Scorer } from '../scorers/scorer.ts'
import type { CaseToRun } from './run-case.ts'
import { targetIds } from './target-ids.ts'
import type { EvalToRun } from './run-eval.ts'

/** The id under which the cases that belong to no eval are reported. */
export const NO_EVAL = 'cases'
const DEFAULT_CONCURRENCY = 8

export interface PlanOptions {
  /** The project's directory. */
  readonly root: string
  readonly evals: readonly Eval[]
  /** Selects case files, and nothing else. Default: every eval, and the files below `cases`. */
  readonly pattern?: string | undefined
}

/**
 * What there is to run: the evals with their cases, and the case files that belong to none.
 *
 * @throws AppError `invalid_config` naming the case or eval that is not valid.
 */
export async function planEvals({ root, evals, pattern }: PlanOptions): Promise<readonly EvalToRun[]> {
  const doubled = evals.find(({ id }, index) => evals.findIndex((one) => one.id === id) !== index)
  if (evals.some(({ id }) => id === NO_EVAL))
    throw invalid(`The id "${NO_EVAL}" is that of the case files without an eval: choose another one`)
  if (doubled) throw invalid(`Two evals have the id "${doubled.id}"`)
  const selected = await readCases(root, pattern ?? ALL_CASES)
  if (pattern !== undefined && selected.length === 0)
    throw invalid(
      `No case file matches ${pattern}`,
      `Case files are JSON files such as cases/orders/large.json.`,
    )
  const isSelected = (file: string | undefined) =>
    pattern === undefined || selected.some((one) => one.file === file)
  const used = new Set<string>()
  const planned: EvalToRun[] = []
  for (const one of evals) {
    const cases = await casesOf(one, root, used)
    for (const { file } of cases) if (file !== undefined) used.add(file)
    const wanted = cases.filter(({ file }) => isSelected(file))
    if (cases.length === 0) throw invalid(`The eval "${one.id}" has no cases for ${targetName(one.target)}`)
    planned.push({ ...one, cases: wanted.map((each) => toRun(each, one.scorers)) })
  }
  const rest = selected.filter(({ file }) => !used.has(file))
  const others = rest.map((one) => toRun({ ...one, id: one.file }, [equals()]))
  planned.push({ id: NO_EVAL, cases: others, concurrency: DEFAULT_CONCURRENCY, threshold: 1 })
  return planned.filter(({ cases }) => cases.length > 0)
}

type PlannedCase = { readonly id: string; readonly file: string | undefined } & (
  | { readonly case: Case }
  | { readonly broken: string }
)

/** The cases of an eval. Files that are not cases are those of the first eval whose glob selects them. */
async function casesOf(
  { id, target, cases }: Eval,
  root: string,
  used: ReadonlySet<string>,
): Promise<readonly PlannedCase[]> {
  if (typeof cases === 'string') {
    const files = await readCases(root, cases)
    return files
      .filter((one) =>
        'broken' in one ? !used.has(one.file) : targetName(one.case.target) === targetName(target),
      )
      .map((one) => ({ ...one, id: one.file }))
  }
  const given: readonly InlineCase[] = typeof cases === 'function' ? await cases() : cases
  const names = given.map(({ id: own }, index) => `${id}/${own ?? index + 1}`)
  const doubled = names.find((name, index) => names.indexOf(name) !== index)
  if (doubled !== undefined) throw invalid(`Two cases have the id "${doubled}"`)
  return given.map(({ id: _, ...rest }, index) => {
    const name = names[index] as string
    const parsed = Case.safeParse({ target, ...rest })
    if (parsed.success) return { id: name, file: undefined, case: parsed.data }
    throw invalid(`${name} is not a case: ${parsed.error.issues.map(({ message }) => message).join('; ')}`)
  })
}

function toRun(planned: PlannedCase, ofEval: readonly Scorer[]): CaseToRun {
  const { id } = planned
  if ('broken' in planned) return { id, broken: planned.broken }
  const { case: tested } = planned
  try {
    const scorers = tested.scorers?.map((entry, index) => scorerAt(entry, index)) ?? ofEval
    const needing = tested.expected === undefined ? scorers.filter((one) => one.needsExpected) : []
    // a run that failed has no output to expect: its case is to complete
    if (needing.length === 0 || tested.from)
      return { id, case: tested, scorers: scorers.filter((one) => !needing.includes(one)) }
    return { id, broken: `${id} has no \`expected\`, which the scorer "${needing[0]?.name}" needs` }
  } catch (error) {
    return { id, broken: `${id}: ${messageOf(error)}` }
  }
}

function scorerAt(entry: string | Readonly<Record<string, unknown>>, index: number): Scorer {
  try {
    return namedScorer(entry)
  } catch (error) {
    throw invalid(`scorers[${index}] ${messageOf(error)}`)
  }
}

/** The agents of the scorers that ask a model. Those with the same criteria and model are one. */
export function judgesOf(evals: readonly EvalToRun[]): readonly Agent[] {
  const scorers = new Set(
    evals.flatMap(({ cases }) => cases.flatMap((one) => ('broken' in one ? [] : one.scorers))),
  )
  const judges = [...scorers].flatMap(({ agent }) => agent ?? [])
  return [...new Map(judges.map((agent) => [agent.id, agent])).values()]
}

/** The evals, in which the cases whose target is not in the configuration are broken. */
export async function withKnownTargets(
  evals: readonly EvalToRun[],
  client: ApiClient,
): Promise<readonly EvalToRun[]> {
  const known = await targetIds(client)
  const checked = (one: CaseToRun): CaseToRun => {
    if ('broken' in one) return one
    const [kind, name] = kindAndId(one.case.target)
    if (known[kind]?.includes(name) === true) return one
    const near = didYouMean(name, known[kind] ?? [])
    const hint = near === undefined ? '' : `. Did you mean "${near}"?`
    return { id: one.id, broken: `${one.id}: there is no ${kind} "${name}"${hint}` }
  }
  return evals.map((one) => ({ ...one, cases: one.cases.map(checked) }))
}

function invalid(message: string, hint?: string): AppError {
  return new AppError('invalid_config', message, hint === undefined ? {} : { hint })
}
