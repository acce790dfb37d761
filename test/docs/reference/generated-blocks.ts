/** Text of the generated parts of a page, by the names in its markers. */
export type Blocks = Readonly<Record<string, string>>

const BLOCK = /^<!-- generated: ([\w-]+) -->\n.*?^<!-- end of generated text -->$/gms

/**
 * Replaces the parts of a page between `<!-- generated: <name> -->` and `<!-- end of generated text -->`.
 *
 * @throws Error when the page has a marker without a block, or a block has no marker.
 */
export function replaceBlocks(page: string, blocks: Blocks): string {
  const unused = new Set(Object.keys(blocks))
  const replaced = page.replaceAll(BLOCK, (_, name: string) => {
    const text = blocks[name]
    if (text === undefined) throw new Error(`The page names an unknown block: ${name}`)
    unused.delete(name)
    return `<!-- generated: ${name} -->\n\n${text.trim()}\n\n<!-- end of generated text -->`
  })
  if (unused.size > 0) throw new Error(`The page has no marker for: ${[...unused].join(', ')}`)
  return replaced
}
