import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { lazy } from '../lib/async/lazy.ts'
import { DATA_DIRECTORY } from '../lib/files/private-files.ts'
import { replaceFile } from '../lib/files/replace-file.ts'

/** The variable with the key of links that resume executions. */
export const LINK_SECRET = 'AGENTSERVER_LINK_SECRET'

const SECRET_BYTES = 32

interface LinkSecretOptions {
  /** The project's directory. */
  readonly root: string
  readonly production: boolean
  /** Whether nothing is kept in the project. */
  readonly inMemory: boolean
}

/**
 * The key of links that resume executions: the variable, or in development one that is made once for the project.
 * `undefined` in production without the variable.
 */
export function linkSecret({ root, production, inMemory }: LinkSecretOptions): () => string | undefined {
  const made = lazy(() => (inMemory ? newSecret() : keptSecret(path.join(root, DATA_DIRECTORY))))
  return () => {
    const given = process.env[LINK_SECRET]
    return given !== undefined && given !== '' ? given : production ? undefined : made()
  }
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}

/** Links survive a restart in development, too, where the project keeps its data. */
function keptSecret(directory: string): string {
  if (!fs.existsSync(directory)) return newSecret()
  const file = path.join(directory, 'link-secret')
  if (fs.existsSync(file)) return fs.readFileSync(file, 'utf8').trim()
  const secret = newSecret()
  replaceFile({ file, bytes: Buffer.from(`${secret}\n`), mode: 0o600 })
  return secret
}
