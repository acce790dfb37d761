import fs from 'node:fs'
import path from 'node:path'

export interface ReplaceFileOptions {
  /** Absolute; not a symbolic link. */
  readonly file: string
  readonly bytes: Uint8Array
  /** The permissions of a file that was not there. Those of one that was are kept. */
  readonly mode: number
}

/**
 * Puts a file in the place of another. Whatever happens meanwhile, there is the old one or the new one, whole:
 * the new one is on disk before it gets the name. Not for two at the same time.
 */
export function replaceFile({ file, bytes, mode }: ReplaceFileOptions): void {
  const draft = `${file}.agentserver-draft`
  const old = fs.statSync(file, { throwIfNoEntry: false })
  // an earlier process may have been killed here
  fs.rmSync(draft, { force: true })
  try {
    writeDraft(draft, bytes, old === undefined ? { mode } : { mode: old.mode & 0o777, like: old })
    fs.renameSync(draft, file)
  } catch (error) {
    fs.rmSync(draft, { force: true })
    throw error
  }
  syncDirectory(path.dirname(file))
}

function writeDraft(
  draft: string,
  bytes: Uint8Array,
  { mode, like }: { mode: number; like?: fs.Stats },
): void {
  const descriptor = fs.openSync(draft, 'wx', 0o600)
  try {
    fs.writeFileSync(descriptor, bytes)
    // root must not take a user's file away
    if (like && process.getuid?.() === 0) fs.fchownSync(descriptor, like.uid, like.gid)
    fs.fchmodSync(descriptor, mode)
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}

/** Makes the new name last, where a directory can be opened. */
function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return
  const descriptor = fs.openSync(directory, 'r')
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}
