/** Shorter texts, such as `: ` between two values, would fit anything. */
const MIN_LETTERS = 7

/** The texts of the source that can be messages, as patterns with a group for each value in them. */
export function messageTemplates(source: string): RegExp[] {
  return literalsIn(source)
    .filter((parts) => parts.join('').replaceAll(/[^a-z]/gi, '').length >= MIN_LETTERS)
    .map((parts) => new RegExp(`^${parts.map((part) => escaped(part)).join('(.*?)')}$`))
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}

/** The fixed parts of every string and template literal. */
function literalsIn(source: string): string[][] {
  const plain = [...source.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"/g)].map(
    ([, single, double]) => [unescaped(single ?? double ?? '')],
  )
  const templates: string[][] = []
  for (let at = source.indexOf('`'); at !== -1; at = source.indexOf('`', at + 1)) {
    const parts = templateAt(source, at)
    if (parts) templates.push(parts)
  }
  return [...plain, ...templates]
}

/** The fixed parts of the template literal that starts here; `undefined` when none ends on the same few lines. */
function templateAt(source: string, start: number): string[] | undefined {
  const parts = ['']
  let depth = 0
  for (let at = start + 1; at < Math.min(source.length, start + 1000); at++) {
    const two = source.slice(at, at + 2)
    if (depth === 0 && two === '${') {
      depth = 1
      at++
      parts.push('')
    } else if (depth > 0) {
      if (source[at] === '{') depth++
      if (source[at] === '}') depth--
    } else if (source[at] === '`') {
      return parts.map((part) => unescaped(part))
    } else parts[parts.length - 1] += source[at] ?? ''
  }
  return undefined
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(['"`\\])/g, '$1')
}
