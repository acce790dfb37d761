import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { root } from './pages.ts'

const ENTRIES = ['src/index.ts', 'src/server/index.ts', 'src/client/index.ts', 'src/testing/index.ts']

/** The exported values of an entry, each with the text of the file that declares it. Types are left out. */
function publicValues(entry: string): { readonly name: string; readonly source: string }[] {
  const url = new URL(entry, root)
  const exports = readFileSync(url, 'utf8').matchAll(/^export \{([^}]*)\} from '([^']+)'/gm)
  return [...exports].flatMap(([, names = '', from = '']) => {
    const values = names.split(',').map((name) => name.trim())
    return values
      .filter((name) => name !== '' && !name.startsWith('type '))
      .map((name) => ({ name, source: readFileSync(new URL(from, url), 'utf8') }))
  })
}

/** The doc comment of an exported function or class; `undefined` for other values. */
function docComment(name: string, source: string): string | undefined {
  const declaration = new RegExp(`^export (?:async )?(?:function|class) ${name}\\b`, 'm').exec(source)
  if (!declaration) return undefined
  const before = source.slice(0, declaration.index)
  return before.endsWith('*/\n') ? before.slice(before.lastIndexOf('/**')) : ''
}

describe.each(ENTRIES)('the functions of %s', (entry) => {
  it('have an example in their doc comment', () => {
    const comments = publicValues(entry).map(({ name, source }) => ({
      name,
      comment: docComment(name, source),
    }))
    const declared = comments.filter(({ comment }) => comment !== undefined)
    expect(declared.length).toBeGreaterThan(0)
    const without = declared.filter(({ comment }) => !/^ \* @example\n \* \S/m.test(comment ?? ''))
    expect(without.map(({ name }) => name)).toEqual([])
  })
})
