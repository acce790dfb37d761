import fs from 'node:fs'
import path from 'node:path'
import { AppError, messageOf } from '../../lib/errors.ts'
import type { PlannedFile, ProjectPlan } from './plan-project.ts'

/** Where a replaced file is until everything is written. */
const ASIDE = '.agentserver-init-old'

/**
 * Writes a planned project. What can't be written whole is taken back.
 *
 * @throws AppError `internal` when the system refuses.
 */
export function writeProject({ directory, files }: ProjectPlan): void {
  const undo: (() => void)[] = []
  const finish: (() => void)[] = []
  try {
    makeDirectory(directory, undo)
    for (const file of files) writeFile(directory, file, { undo, finish })
  } catch (cause) {
    for (const takeBack of undo.toReversed()) takeBack()
    throw new AppError('internal', `The project can't be written: ${messageOf(cause)}`, {
      cause,
      hint: 'Nothing was left behind.',
    })
  }
  for (const complete of finish) complete()
}

interface Steps {
  readonly undo: (() => void)[]
  readonly finish: (() => void)[]
}

function writeFile(directory: string, { name, bytes, replaces }: PlannedFile, { undo, finish }: Steps): void {
  const file = path.join(directory, name)
  makeDirectory(path.dirname(file), undo)
  if (replaces) {
    const aside = file + ASIDE
    fs.renameSync(file, aside)
    undo.push(() => fs.renameSync(aside, file))
    finish.push(() => fs.rmSync(aside))
  }
  // what appeared since the plan was made is neither overwritten nor taken back
  const descriptor = fs.openSync(file, 'wx')
  undo.push(() => fs.rmSync(file))
  try {
    fs.writeFileSync(descriptor, bytes)
  } finally {
    fs.closeSync(descriptor)
  }
}

function makeDirectory(directory: string, undo: (() => void)[]): void {
  const first = fs.mkdirSync(directory, { recursive: true })
  if (first !== undefined) undo.push(() => fs.rmSync(first, { recursive: true, force: true }))
}
