import fs from 'node:fs'
import path from 'node:path'
import { renameOver } from './rename-over.ts'

export interface ReplaceFileOptions {
  /** Absolute path. Must not be a symbolic link. */
  readonly file: string
  readonly bytes: Uint8Array
  /** The permissions of a new file. An existing file keeps its own. */
  readonly mode: number
}

/**
 * Writes a file atomically: after a crash, the file has either its old or its new content. The content is synced to disk
 * in a temporary file before that is renamed. Must not be called concurrently for the same file.
 */
export function replaceFile({ file, bytes, mode }: ReplaceFileOptions): void {
  const draft = `${file}.agentserver-draft`
  const old = fs.statSync(file, { throwIfNoEntry: false })
  // left over from a process that was killed
  fs.rmSync(draft, { force: true })
  try {
    writeDraft(draft, bytes, old === undefined ? { mode } : { mode: old.mode & 0o777, like: old })
    renameOver(draft, file)
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
    // run as root: the file still belongs to its user
    if (like && process.getuid?.() === 0) fs.fchownSync(descriptor, like.uid, like.gid)
    fs.fchmodSync(descriptor, mode)
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}

/** Syncs the rename to disk. Windows can't open directories. */
function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return
  const descriptor = fs.openSync(directory, 'r')
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}
