import { validate, ValidationSeverity } from 'dockerfile-utils'
import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { documentationPages, readText, root } from './pages.ts'

const FOLDER = 'examples/deployment/'
const files = readdirSync(new URL(FOLDER, root))
const shown = documentationPages().flatMap(({ path: page, text }) =>
  [...text.matchAll(/^```\w*\n# (examples\/deployment\/\S+)\n(.*?)^```$/gms)].map(
    ([, file = '', code = '']) => ({
      page,
      file,
      code,
    }),
  ),
)

describe('the deployment guides', () => {
  test.each(shown)('$page shows $file as it is', ({ file, code }) => {
    expect(code).toBe(readText(file))
  })

  test('show every file of examples/deployment', () => {
    expect(shown.map(({ file }) => file).toSorted()).toEqual(files.map((file) => FOLDER + file).toSorted())
  })

  test('have a Dockerfile without lint errors', () => {
    const problems = validate(readText(`${FOLDER}Dockerfile`), {
      deprecatedMaintainer: ValidationSeverity.ERROR,
      directiveCasing: ValidationSeverity.ERROR,
      emptyContinuationLine: ValidationSeverity.ERROR,
      instructionCasing: ValidationSeverity.ERROR,
      instructionCmdMultiple: ValidationSeverity.ERROR,
      instructionEntrypointMultiple: ValidationSeverity.ERROR,
      instructionHealthcheckMultiple: ValidationSeverity.ERROR,
      instructionJSONInSingleQuotes: ValidationSeverity.ERROR,
      instructionWorkdirRelative: ValidationSeverity.ERROR,
    })
    expect(problems.map(({ message }) => message)).toEqual([])
  })

  test('start the server without a shell, so that it receives SIGTERM', () => {
    expect(readText(`${FOLDER}Dockerfile`)).toMatch(/^CMD \["node", .*"start"\]$/m)
  })
})
