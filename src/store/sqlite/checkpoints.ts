import fs from 'node:fs'
import { SHARE_ENV, Worker } from 'node:worker_threads'
import type { Database, DriverName } from './driver.ts'
import { databaseError } from './health/database-error.ts'
import { fileIdentity } from './health/file-identity.ts'

/** How often the WAL is measured while something is written. */
const INTERVAL_MS = 250
/** The WAL is written back at this size: a page that changes often is written once, and not a hundred times. */
const MIN_BYTES = 32 * 1024 * 1024
/** The pages of a WAL of 60 MB, at which a commit writes it back itself: the thread has failed, or is too slow. */
export const MAX_WAL_PAGES = 15_000

const CHECKPOINT = 'PRAGMA wal_checkpoint(PASSIVE)'

/**
 * Text and not a module, so that it runs from the sources and from the build. It writes twice: while it writes back the
 * most, further commits are added, and these few are quick.
 */
const PROGRAM = `
const { parentPort, workerData: { file, driver, from } } = require('node:worker_threads')
process.emitWarning = () => undefined
const load = require('node:module').createRequire(from)
const database = driver === 'libsql' ? new (load(driver))(file) : new (load(driver).DatabaseSync)(file)
database.exec('PRAGMA checkpoint_fullfsync = true')
parentPort.on('message', (isWanted) => {
  if (!isWanted) {
    database.close()
    parentPort.close()
    return
  }
  try {
    database.exec('${CHECKPOINT}; ${CHECKPOINT}')
  } catch {
    // as on a full disk: the commits stay in the WAL
  }
  parentPort.postMessage('done')
})`

/**
 * Writes commits back from the WAL to the database. A commit that did so would stop the event loop for as long as the disk
 * takes, 150 ms and more. A thread with its own connection does it, from the first time on that there is so much to write;
 * the event loop writes the rest, after which the WAL begins anew.
 */
export class Checkpoints {
  readonly #database: Database
  readonly #file: string
  readonly #driver: DriverName
  readonly #opened: string | undefined
  #timer: NodeJS.Timeout | undefined
  #thread: Worker | undefined
  /** The thread has failed, or the database is closed. */
  #isOver = false
  #pass: Promise<void> | undefined
  #done: () => void = () => undefined

  constructor(database: Database, file: string, driver: DriverName) {
    this.#database = database
    this.#file = file
    this.#driver = driver
    this.#opened = fileIdentity(file)
  }

  /** To be called when something is written. */
  written(): void {
    this.#timer ??= setTimeout(() => this.#check(), INTERVAL_MS).unref()
  }

  /** Resolves when the thread writes nothing: meanwhile other checkpoints would be skipped. */
  async idle(): Promise<void> {
    await this.#pass
  }

  /** Ends the thread; returns `undefined` if there is none. */
  close(): Promise<unknown> | undefined {
    clearTimeout(this.#timer)
    const thread = this.#thread
    if (!thread) return undefined
    this.#isOver = true
    thread.ref()
    thread.postMessage(false, [])
    return new Promise((resolve) => thread.once('exit', resolve))
  }

  #check(): void {
    this.#timer = undefined
    if (this.#pass || this.#isOver || walBytes(this.#file) < MIN_BYTES) return
    this.#pass = this.#writeBack().finally(() => (this.#pass = undefined))
  }

  async #writeBack(): Promise<void> {
    const thread = (this.#thread ??= this.#start())
    if (!thread) return
    thread.ref()
    await new Promise<void>((resolve) => {
      this.#done = resolve
      thread.postMessage(true, [])
    })
    thread.unref()
    if (this.#isOver) return
    try {
      this.#database.exec(CHECKPOINT)
    } catch (error) {
      // as on a full disk: the commits stay in the WAL
      if (!databaseError(error)) throw error
    }
  }

  #start(): Worker | undefined {
    // a file that has replaced the database is none of ours, and one that was deleted would be created
    if (this.#opened !== fileIdentity(this.#file)) return undefined
    const workerData = { file: this.#file, driver: this.#driver, from: import.meta.url }
    const thread = new Worker(PROGRAM, { eval: true, execArgv: [], env: SHARE_ENV, workerData })
    thread.on('message', () => this.#done())
    // commits write the WAL back then
    thread.on('error', () => undefined)
    thread.on('exit', () => {
      this.#isOver = true
      this.#thread = undefined
      this.#done()
    })
    return thread
  }
}

/**
 * The bytes of a WAL that are in use. The file does not get smaller when it begins anew, but its pages from then on have
 * other salts: https://sqlite.org/fileformat2.html#the_write_ahead_log
 */
export function walBytes(database: string): number {
  let wal: number
  try {
    wal = fs.openSync(`${database}-wal`, 'r')
  } catch {
    return 0
  }
  try {
    const read = (length: number, position: number) => {
      const bytes = Buffer.alloc(length)
      fs.readSync(wal, bytes, 0, length, position)
      return bytes
    }
    const header = read(32, 0)
    const salts = header.subarray(16, 24)
    const frameBytes = header.readUInt32BE(8) + 24
    let [used, unused] = [0, Math.floor((fs.fstatSync(wal).size - 32) / frameBytes) + 1]
    while (unused - used > 1) {
      const middle = Math.floor((used + unused) / 2)
      if (read(8, 32 + (middle - 1) * frameBytes + 8).equals(salts)) used = middle
      else unused = middle
    }
    return used * frameBytes
  } finally {
    fs.closeSync(wal)
  }
}
