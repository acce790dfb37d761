import { renameSync } from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'
import { AppError } from '../../lib/errors.ts'
import { caseText, notWritable, realCaseFile } from '../keep/write-case.ts'
import type { ImportedCase } from './cases-of-rows.ts'

export interface WriteCasesOptions {
  /** The project's directory. */
  readonly root: string
  /** The folder below `cases`. */
  readonly name: string
  readonly overwrite: boolean
  /** Ends the import: nothing is written. */
  readonly signal: AbortSignal
  readonly onProgress: (written: number) => void
}

const AT_ONCE = 32

/**
 * Writes cases to files of one folder: all of them, or none.
 *
 * @throws AppError `conflict` when files exist and must not be overwritten, or can't be written.
 */
export async function writeCases(
  cases: readonly ImportedCase[],
  { root, name, overwrite, signal, onProgress }: WriteCasesOptions,
): Promise<void> {
  const folder = realCaseFile(root, `cases/${name}`)
  const existing = await namesIn(folder)
  const taken = cases.filter(({ file }) => existing?.has(path.basename(file)))
  const [first] = taken
  if (first && !overwrite)
    throw new AppError('conflict', `${taken.length} of ${cases.length} files exist, such as ${first.file}`, {
      hint: 'Nothing was imported. Pass --force to overwrite them, or --name for another folder.',
    })
  // beside the folder: a rename stays on one file system, and globs skip the name
  const draft = path.join(path.dirname(folder), `.importing-${name}`)
  try {
    await fs.rm(draft, { recursive: true, force: true })
    await fs.mkdir(draft, { recursive: true })
    await writeAll(cases, { draft, signal, onProgress })
    signal.throwIfAborted()
    place(draft, { folder, isNew: existing === undefined, cases })
  } catch (error) {
    throw notWritable(`cases/${name}`, error)
  } finally {
    await fs.rm(draft, { recursive: true, force: true })
  }
}

/** The names in a folder; `undefined` when there is none. */
async function namesIn(folder: string): Promise<ReadonlySet<string> | undefined> {
  try {
    return new Set(await fs.readdir(folder))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw notWritable(path.basename(folder), error)
  }
}

interface Draft {
  readonly draft: string
  readonly signal: AbortSignal
  readonly onProgress: (written: number) => void
}

async function writeAll(cases: readonly ImportedCase[], { draft, signal, onProgress }: Draft): Promise<void> {
  const waiting = cases.values()
  let written = 0
  const work = async () => {
    for (const { file, case: content } of waiting) {
      signal.throwIfAborted()
      await fs.writeFile(path.join(draft, path.basename(file)), caseText(content))
      onProgress(++written)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

interface Placing {
  readonly folder: string
  readonly isNew: boolean
  readonly cases: readonly ImportedCase[]
}

/** Moves the written files to their folder, in one turn of the event loop. A new folder appears at once. */
function place(draft: string, { folder, isNew, cases }: Placing): void {
  if (isNew) return renameSync(draft, folder)
  for (const { file } of cases) {
    const name = path.basename(file)
    renameSync(path.join(draft, name), path.join(folder, name))
  }
}
