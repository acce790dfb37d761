import type { StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { delay } from '../../../lib/clock.ts'
import { AppError } from '../../../lib/errors.ts'
import { createPrivateFile } from '../../../lib/files/private-files.ts'
import { replaceFile } from '../../../lib/files/replace-file.ts'
import { takeFileLock } from '../../../store/sqlite/file-lock.ts'

/** What a user of this machine has at an MCP server. */
export interface ServerCredentials {
  /** The server, for people who look at the file. */
  readonly url: string
  /** The client that the tokens were issued to. */
  readonly client?: StoredOAuthClientInformation | undefined
  readonly tokens?: StoredOAuthTokens | undefined
  /** The registered clients for logins, by their redirect URLs: servers of this machine have ports of their own. */
  readonly clients?: Readonly<Record<string, StoredOAuthClientInformation>> | undefined
}

/** The server, and what the tokens were issued for. */
export interface CredentialKey {
  readonly url: string
  readonly clientId: string | undefined
  readonly scopes: readonly string[] | undefined
}

const LOCK_POLL_MS = 50
/** More than the requests of a login or refresh may take together. */
const LOCK_TIMEOUT_MS = 90_000

/**
 * The tokens for one MCP server, in the home directory of the user: `~/.agentserver/mcp/<hash>.json`, mode 0600. Projects
 * and processes of the user share it.
 */
export class CredentialFile {
  readonly #file: string
  readonly #url: string

  constructor({ url, clientId, scopes }: CredentialKey) {
    const key = JSON.stringify([url, clientId ?? null, scopes?.toSorted() ?? null])
    const name = createHash('sha256').update(key).digest('hex').slice(0, 32)
    this.#file = path.join(os.homedir(), '.agentserver', 'mcp', `${name}.json`)
    this.#url = url
  }

  /** The stored credentials; none when the file is missing or damaged. */
  read(): ServerCredentials {
    try {
      const stored: unknown = JSON.parse(fs.readFileSync(this.#file, 'utf8'))
      if (typeof stored === 'object' && stored !== null) return stored as ServerCredentials
    } catch {
      // a damaged file is replaced by the next login
    }
    return { url: this.#url }
  }

  /** Changes the stored credentials. Call it within {@link locked}. */
  update(change: Partial<ServerCredentials>): void {
    const bytes = Buffer.from(JSON.stringify({ ...this.read(), ...change, url: this.#url }, null, 2))
    createPrivateFile(this.#file)
    fs.chmodSync(this.#file, 0o600)
    replaceFile({ file: this.#file, bytes, mode: 0o600 })
  }

  /** Runs work while no other process changes the file. */
  async locked<T>(work: () => Promise<T>): Promise<T> {
    const giveUpAt = Date.now() + LOCK_TIMEOUT_MS
    createPrivateFile(this.#file)
    for (;;) {
      const lock = takeFileLock(`${this.#file}-lock`)
      if (lock)
        try {
          return await work()
        } finally {
          lock.release()
        }
      if (Date.now() > giveUpAt)
        throw new AppError('unavailable', `${this.#file} is locked by another process for too long`)
      await delay(LOCK_POLL_MS, new AbortController().signal)
    }
  }
}
