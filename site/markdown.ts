import path from 'node:path'
import type { MarkdownRenderer } from 'vitepress'
import { siteFileOf, targetOf } from './pages.ts'
import type { Repository } from './pages.ts'

/** The Markdown that GitHub shows, too: titles of code blocks, drawings, and links to files of the repository. */
export function repositoryMarkdown(md: MarkdownRenderer, repository: Repository): void {
  const fence = md.renderer.rules.fence
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info = '', content = '' } = tokens[index] ?? {}
    if (info.trim() === 'mermaid') return `<MermaidDrawing code="${encodeURIComponent(content)}" />\n`
    const block = fence?.(tokens, index, ...rest) ?? ''
    const title = /\btitle="([^"#]+)/.exec(info)?.[1]
    if (title === undefined) return block
    return `<div class="titled-code"><div class="code-title">${md.utils.escapeHtml(title)}</div>${block}</div>\n`
  }
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    const { realPath, path: place } = env as { realPath?: string; path: string }
    const from = path.relative(repository.source, realPath ?? place).replaceAll(path.sep, '/')
    for (const token of tokens.flatMap((block) => [block, ...(block.children ?? [])])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : undefined
      if (href) token.attrSet('href', siteLink(repository, from, href))
      if (token.type.startsWith('html_')) token.content = token.content.replaceAll(DOT_PICTURE, '$1./$2')
    }
  })
}

/** Vite takes a picture in `.github/` for one of a package, unless its path starts with `./`. */
const DOT_PICTURE = /(\b(?:src|srcset)=")(\.github\/)/g

/** A link of a page, as the site has it: from the root, or to GitHub for what is no page. */
function siteLink({ source, blobs }: Repository, from: string, href: string): string {
  const target = targetOf(source, from, href)
  if (!target) return href
  const page = siteFileOf(target.file)
  return `${page === undefined ? `${blobs}/${target.file}` : `/${page}`}${target.anchor}`
}
