import type { CaseResult, EvalResult } from '../run/case-result.ts'
import { targetName } from '../../contract/evals/case.ts'

/** The results as JUnit XML, which CI systems show: a suite for each eval. */
export function junit(results: readonly EvalResult[]): string {
  const suites = results.map((one) => suite(one))
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('\n')}\n</testsuites>\n`
}

function suite({ id, cases, threshold }: EvalResult): string {
  const errors = cases.filter(({ broken }) => broken).length
  const failures = cases.filter(({ score, broken }) => !broken && score < threshold).length
  const seconds = cases.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000
  const lines = cases.map((one) => testCase(one, threshold))
  return [
    `  <testsuite name=${quoted(id)} tests="${cases.length}" failures="${failures}" errors="${errors}" time="${seconds.toFixed(3)}">`,
    ...lines,
    '  </testsuite>',
  ].join('\n')
}

function testCase(result: CaseResult, threshold: number): string {
  const { id, target, score, durationMs, broken } = result
  const className = target ? targetName(target) : 'cases'
  const start = `    <testcase name=${quoted(id)} classname=${quoted(className)} time="${(durationMs / 1000).toFixed(3)}"`
  if (broken) {
    const [message = ''] = reasonsOf(result)
    return `${start}>\n      <error message=${quoted(message)}/>\n    </testcase>`
  }
  if (score >= threshold) return `${start}/>`
  const message = quoted(`score ${score.toFixed(2)}, at least ${threshold}`)
  return `${start}>\n      <failure message=${message}>${escaped(reasonsOf(result).join('\n'))}</failure>\n    </testcase>`
}

/** Why a case has less than the full score, one line each. */
export function reasonsOf({ error, scores }: CaseResult): readonly string[] {
  if (error !== undefined) return [error]
  return scores
    .filter(({ score }) => score < 1)
    .map(
      ({ name, score, reason }) => `${name} ${score.toFixed(2)}${reason === undefined ? '' : `: ${reason}`}`,
    )
}

function quoted(text: string): string {
  return `"${escaped(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;')}"`
}

/** Without the control characters that XML 1.0 does not allow. */
function escaped(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '�')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}
