import fs from 'node:fs/promises'
import path from 'node:path'
import { glob } from 'tinyglobby'
import { AppError, messageOf } from '../../lib/errors.ts'
import { parseJson } from '../../lib/json/parse-json.ts'
import { formatIssues } from '../../lib/schema/schema.ts'
import type { JsonPath } from '../../lib/json/json-value.ts'
import { Case } from '../../contract/evals/case.ts'

/** The case files of a project that no glob selects. */
export const ALL_CASES = 'cases/*/*.json'

/** A case that was read from a file. */
export interface CaseFile {
  /** Path from the project's directory, with `/`. */
  readonly file: string
  readonly case: Case
}

/** A file that is not a case. */
export interface BrokenFile {
  readonly file: string
  /** What is wrong with it. */
  readonly broken: string
}

/** Reads the case files that a glob selects, sorted by path. A file that is not a case does not stop the others. */
export async function readCases(root: string, pattern: string): Promise<readonly (CaseFile | BrokenFile)[]> {
  // shells of Windows complete paths with backslashes, which are escapes in globs
  const files = await glob(pattern.split(path.sep).join('/'), { cwd: root, onlyFiles: true, dot: false })
  return Promise.all(
    files.toSorted().map(async (file) => {
      try {
        return { file, case: await readCase(path.join(root, file), file) }
      } catch (error) {
        return { file, broken: messageOf(error) }
      }
    }),
  )
}

/**
 * Reads a case file, called `name` in errors.
 *
 * @throws AppError `invalid_input` for a file that can't be read; `invalid_config` for one that is not a case.
 */
export async function readCase(file: string, name = file): Promise<Case> {
  let text: string
  try {
    text = await fs.readFile(file, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new AppError('invalid_input', `cannot read ${name} (${code ?? messageOf(cause)})`, { cause })
  }
  return parseCase(text, name)
}

function parseCase(text: string, file: string): Case {
  let value: unknown
  try {
    value = parseJson(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new AppError('invalid_config', `${file} is not JSON: ${(error as Error).message}`)
  }
  const parsed = Case.safeParse(value)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map((issue) => ({
    path: issue.path as JsonPath,
    message: issue.message,
  }))
  throw new AppError('invalid_config', `${file} is not a case: ${formatIssues(issues, '')}`)
}
