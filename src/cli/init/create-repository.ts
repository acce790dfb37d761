import { oneLine } from '../print/terminal.ts'
import type { Terminal } from '../print/terminal.ts'

/**
 * Makes a directory a Git repository, unless it is in one. Returns whether it has made one: without Git the project is
 * complete, too.
 */
export async function createRepository(directory: string, terminal: Terminal): Promise<boolean> {
  if (await isInRepository(directory)) return false
  const { execa } = await import('execa')
  const { failed, code, stderr } = await execa('git', ['init', '--quiet'], { cwd: directory, reject: false })
  if (!failed) return true
  const reason = code === 'ENOENT' ? 'git is not installed' : oneLine(stderr)
  terminal.note(`No Git repository was created: ${reason}`)
  return false
}

/** Whether a directory, or the closest one above it that exists, is in a Git repository. */
async function isInRepository(directory: string): Promise<boolean> {
  const { execa } = await import('execa')
  const result = await execa('git', ['rev-parse', '--is-inside-work-tree'], { cwd: directory, reject: false })
  return result.stdout === 'true'
}
