import fs from 'node:fs/promises'
import path from 'node:path'
import { glob } from 'tinyglobby'
import { ALL_CASES } from './case-files.ts'

/** A case file of which something may be about a user. */
interface MentioningCase {
  /** Path from the project's directory. */
  readonly file: string
  /** The execution or the agent run that was kept. */
  readonly run: string | undefined
  /** It has the id of the user as a value. */
  readonly isNamed: boolean
}

export interface CaseMentions {
  readonly files: readonly MentioningCase[]
  /** The executions and agent runs that were kept. */
  readonly runs: string[]
}

/** The case files of a project that are from a run, or have the id of a user. Also those that are not valid. */
export async function mentionsOf(root: string, userId: string): Promise<CaseMentions> {
  const found = await glob(ALL_CASES, { cwd: root, onlyFiles: true, dot: false })
  const files = await Promise.all(
    found.toSorted().map(async (file) => {
      const text = await fs.readFile(path.join(root, file), 'utf8')
      return { file, run: runIn(text), isNamed: text.includes(JSON.stringify(userId)) }
    }),
  )
  return { files, runs: [...new Set(files.flatMap(({ run }) => run ?? []))] }
}

function runIn(text: string): string | undefined {
  try {
    const { from } = JSON.parse(text) as {
      readonly from?: { readonly executionId?: string; readonly runId?: string }
    }
    return from?.executionId ?? from?.runId
  } catch {
    // not a case; its text is searched all the same
    return undefined
  }
}
