import { randomBytes } from 'node:crypto'

export interface GeneratedSecrets {
  /** The text of `.env`, with the secrets at its end. */
  readonly text: string
  /** The variables that were added. */
  readonly names: readonly string[]
}

/**
 * Adds random values to the text of a `.env`: one for each variable that has an empty value in `.env.example` and none
 * in `.env`.
 */
export function generateSecrets(example: string, old = ''): GeneratedSecrets {
  const wanted = [...example.matchAll(/^([A-Z][A-Z0-9_]*)=[ \t]*$/gm)].map(([, name = '']) => name)
  const names = wanted.filter(
    (name) => !new RegExp(`^\\s*(?:export\\s+)?${name}[ \\t]*=[ \\t]*\\S`, 'm').test(old),
  )
  const lines = names.map((name) => `${name}=${randomBytes(32).toString('hex')}\n`)
  const before = old === '' || old.endsWith('\n') ? old : `${old}\n`
  return { text: before + lines.join(''), names }
}
