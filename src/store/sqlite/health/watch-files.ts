import fs from 'node:fs'
import { stat } from 'node:fs/promises'
import type { BigIntStats } from 'node:fs'

/** Half of the time in which a lost file has to be noticed. */
const INTERVAL_MS = 1000

/** A file that is not the one it was. */
export interface LostFile {
  readonly file: string
  readonly change: 'deleted' | 'replaced'
}

const identityOf = ({ dev, ino }: BigIntStats) => `${dev}:${ino}`

/**
 * Checks each second whether paths still lead to the files that they lead to now, and calls `onCheck` with the first
 * that does not. Polls, as replaced mounts and network file systems cause no notification. Returns a function that
 * ends the checks.
 */
export function watchFiles(
  files: readonly string[],
  onCheck: (lost: LostFile | undefined) => void,
): () => void {
  const opened = new Map(files.map((file) => [file, identityOf(fs.statSync(file, { bigint: true }))]))
  let ended = false
  const check = async () => {
    const now = await Promise.all(files.map((file) => identify(file)))
    if (ended) return
    const index = files.findIndex((file, at) => now[at] !== opened.get(file))
    const file = files[index]
    onCheck(
      file === undefined ? undefined : { file, change: now[index] === undefined ? 'deleted' : 'replaced' },
    )
  }
  const timer = setInterval(() => {
    // an error, such as that of a network share that does not respond, says nothing about the files
    check().catch(() => undefined)
  }, INTERVAL_MS).unref()
  return () => {
    ended = true
    clearInterval(timer)
  }
}

async function identify(file: string): Promise<string | undefined> {
  try {
    return identityOf(await stat(file, { bigint: true }))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}
