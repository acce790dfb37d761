import fs from 'node:fs'
import path from 'node:path'
import { systemClock } from '../clock.ts'
import { uuidV7Generator } from '../ids.ts'
import { isProcessAlive } from './is-process-alive.ts'

export interface OwnerLockOptions {
  /** The file that is there while the lock is held. */
  readonly file: string
  /** Nobody holds it longer than this; an older one is left from a process whose id is another's by now. */
  readonly maxHeldMs: number
}

interface Owner {
  readonly pid: number
  readonly token: string
}

const newToken = () => uuidV7Generator()()

/**
 * Takes a lock that no two processes, nor two parts of one, hold at the same time. One that a dead process left
 * is taken over.
 *
 * @returns what gives it back; `undefined` while another holds it.
 */
export function takeLock({ file, maxHeldMs }: OwnerLockOptions): (() => void) | undefined {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  const token = createLock(file) ?? (removeAbandoned(file, maxHeldMs) ? createLock(file) : undefined)
  if (token === undefined) return undefined
  return () => {
    if (readLock(file) === token) fs.rmSync(file, { force: true })
  }
}

/** Creates the file with its content at once: nobody ever sees it empty. */
function createLock(file: string): string | undefined {
  const owner: Owner = { pid: process.pid, token: newToken() }
  const text = JSON.stringify(owner)
  const draft = `${file}.${owner.token}`
  try {
    fs.writeFileSync(draft, text, { mode: 0o600 })
    fs.linkSync(draft, file)
    return text
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
    throw error
  } finally {
    fs.rmSync(draft, { force: true })
  }
}

/** Removes a lock whose owner is gone. Of all who find the same one, one does. */
function removeAbandoned(file: string, maxHeldMs: number): boolean {
  const text = readLock(file)
  if (text === undefined) return true
  if (!isAbandoned(text, file, maxHeldMs)) return false
  const aside = `${file}.${newToken()}`
  try {
    fs.renameSync(file, aside)
    if (readLock(aside) === text) return true
    // somebody was quicker, and this is the lock they hold: it goes back
    fs.linkSync(aside, file)
    return false
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true
    throw error
  } finally {
    fs.rmSync(aside, { force: true })
  }
}

function isAbandoned(text: string, file: string, maxHeldMs: number): boolean {
  const heldSince = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const now = systemClock.now()
  if (now - heldSince > maxHeldMs) return true
  const owner = ownerIn(text)
  if (owner === undefined) return true
  // in a container every server may have the same process id
  if (owner.pid === process.pid) return heldSince < now - process.uptime() * 1000
  return !isProcessAlive(owner.pid)
}

function readLock(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function ownerIn(text: string): Owner | undefined {
  try {
    return JSON.parse(text) as Owner
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
