import { documentationPages } from '../pages.ts'

const GUIDES = /(?<=^## Guides\n\n).*?(?=\n\n## )/ms

/** llms.txt with the guides that exist, each with its title and first sentence. */
export function withGuides(text: string): string {
  const lines = documentationPages()
    .filter(({ path }) => path.startsWith('docs/guides/'))
    .map(({ path, text: page }) => {
      const [title = '', , summary = ''] = page.split('\n')
      const plain = summary.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      return `- [${title.replace('# ', '')}](${path}): ${/^.*?\.(?= |$)/.exec(plain)?.[0] ?? plain}`
    })
  return text.replace(GUIDES, lines.join('\n'))
}

/** The pages that a text links to. */
export function linkedPages(text: string): string[] {
  return [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path)
}
