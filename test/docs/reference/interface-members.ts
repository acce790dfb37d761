import { readdirSync, readFileSync } from 'node:fs'
import { root } from '../pages.ts'

const SRC = new URL('src/', root)

/** The text of all source files of the package, the console apart. */
export function sourceText(): string {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/^console[\\/]/.test(name))
    .map((name) => readFileSync(new URL(name.replaceAll('\\', '/'), SRC), 'utf8'))
    .join('\n')
}

/** The names of an interface's own members, in the order of the source. */
export function membersOf(name: string, source: string): string[] {
  const start = new RegExp(`^(?:export )?interface ${name}\\b`, 'm').exec(source)
  if (!start) throw new Error(`There is no interface ${name}`)
  const end = source.indexOf('\n}', start.index)
  const body = source.slice(start.index, end)
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??(?::|\()/gm)].map(([, member = '']) => member)
}
