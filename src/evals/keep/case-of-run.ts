import { kindAndId } from '../../contract/evals/case.ts'
import type { Case, CaseTarget } from '../../contract/evals/case.ts'
import { changingValues } from './changing-values.ts'

/** A run that has ended, with what its case needs. */
export interface EndedRun {
  readonly target: CaseTarget
  readonly id: string
  readonly input: unknown
  readonly options: Readonly<Record<string, unknown>>
  /** One for each suspension. */
  readonly resume: readonly unknown[]
  /** Missing when the run did not complete. */
  readonly output?: unknown
  readonly from: NonNullable<Case['from']>
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly endedAt: number
  /** What to know about the case. */
  readonly hints: readonly string[]
}

/** A case, and the file to keep it in. */
export interface CaseOfRun {
  /** Relative to the project, with `/`. */
  readonly path: string
  readonly case: Case
  readonly hints: readonly string[]
}

/**
 * The case of a run. Values of the output that change from run to run get rules.
 *
 * @param redact returns a copy of JSON without secrets
 */
export function caseOfRun(run: EndedRun, redact: (value: unknown) => unknown): CaseOfRun {
  const { target, options, resume, output, from, hints } = run
  const input = redact(run.input) as Case['input']
  const expected = output === undefined ? undefined : redact(output)
  const given = { input, options: redact(options), resume: redact(resume) }
  const rules = changingValues(expected, { given, startedAt: run.startedAt, endedAt: run.endedAt })
  return {
    path: caseFile(kindAndId(target)[1], run.id),
    case: {
      target,
      input,
      ...(Object.keys(options).length > 0 && { options: given.options as Case['options'] }),
      ...(resume.length > 0 && { resume: given.resume as unknown[] }),
      ...(expected !== undefined && { expected }),
      ...(Object.keys(rules).length > 0 && { rules }),
      from,
    },
    hints,
  }
}

/** The path of a case file, relative to the project. */
export function caseFile(name: string, id: string): string {
  return `cases/${fileName(name)}/${fileName(id)}.json`
}

/** Names of devices, which Windows refuses, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|(?:com|lpt)\d)(?=\.|$)/i

/** An id as the name of a file: Windows allows no colon, no full stop at the end, and no device. */
function fileName(id: string): string {
  return id.replaceAll(':', '-').replace(/\.+$/, '').replace(DEVICE, '$&-')
}
