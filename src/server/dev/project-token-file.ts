import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { DATA_DIRECTORY, makePrivate } from '../../lib/files/private-files.ts'
import { replaceFile } from '../../lib/files/replace-file.ts'

const TOKEN_BYTES = 32

/**
 * The token of a run of `agentserver dev`, and the file that has it for this user. Each run has its own, so that one
 * that leaked is of no use later.
 */
export class ProjectTokenFile {
  readonly token = randomBytes(TOKEN_BYTES).toString('base64url')
  readonly #file: string

  /** @param root the project's directory */
  constructor(root: string) {
    this.#file = path.join(root, DATA_DIRECTORY, 'token')
  }

  /** Replaces the token of an earlier run. */
  write(): void {
    const directory = path.dirname(this.#file)
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
    makePrivate(directory)
    // an existing file would keep its permissions
    fs.rmSync(this.#file, { force: true })
    replaceFile({ file: this.#file, bytes: Buffer.from(`${this.token}\n`), mode: 0o600 })
  }

  /** Deletes the file, unless another run has replaced it. */
  remove(): void {
    const isOwn = fs.existsSync(this.#file) && fs.readFileSync(this.#file, 'utf8').trim() === this.token
    if (isOwn) fs.rmSync(this.#file)
  }
}
