import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { slug } from 'github-slugger'
import { defineConfig } from 'vitepress'
import { deadLinks } from '../check-links.ts'
import { writeRedirects, writeTexts } from '../extra-files.ts'
import { repositoryMarkdown } from '../markdown.ts'
import { routeOf, sectionsOf, siteFileOf } from '../pages.ts'
import type { Section, SitePage } from '../pages.ts'

const here = fileURLToPath(new URL('..', import.meta.url))
const readManifest = (folder: string) =>
  JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
    version: string
    description: string
    homepage: string
    repository: { url: string }
  }

// build.js says which checkout to build, and at which path below the homepage; without it, this one at the root
const source = path.resolve(process.env['SITE_SOURCE'] ?? path.join(here, '..'))
const folder = process.env['SITE_FOLDER'] ?? ''
const ref = process.env['SITE_REF'] ?? 'main'
const others = JSON.parse(process.env['SITE_VERSIONS'] ?? '[]') as { title: string; folder: string }[]

const { version, description } = readManifest(source)
// a release has the redirects of its own pages
const redirects = JSON.parse(readFileSync(path.join(source, 'site/redirects.json'), 'utf8')) as Record<
  string,
  string
>
const { homepage, repository } = readManifest(path.join(here, '..'))
const github = repository.url.replace(/^git\+(.*)\.git$/, '$1')
const url = `${homepage}${folder}`
const base = new URL(url).pathname
const blobs = `${github}/blob/${ref}`
const sections = sectionsOf(source)
const files = ['README.md', ...sections.flatMap(({ pages }) => pages.map(({ file }) => file))]

const TITLES: Readonly<Record<string, string>> = { Optional: 'More' }
const HTTP_PAGES = 'docs/reference/http/'

function groupOf({ title, pages }: Section) {
  const entry = (page: SitePage) => ({ text: page.title, link: routeOf(page) })
  const http = pages.filter(({ file }) => file.startsWith(HTTP_PAGES))
  const items = pages.flatMap((page) => {
    if (page === http[0]) return [{ text: 'Endpoints', collapsed: true, items: http.map(entry) }]
    return http.includes(page) ? [] : [entry(page)]
  })
  return { text: TITLES[title] ?? title, collapsed: title === 'Decisions', items }
}

/** The pages are outside this folder, from where Vite does not find Vue. In the build for browsers VitePress finds it. */
const vueOfPages = {
  name: 'vue-of-pages',
  enforce: 'pre' as const,
  resolveId: (id: string, _importer: string | undefined, { ssr = false }: { ssr?: boolean }) =>
    ssr && /^vue(\/server-renderer)?$/.test(id) ? { id, external: true } : undefined,
}

export default defineConfig({
  title: 'agentserver',
  description,
  base,
  srcDir: source,
  outDir: 'dist',
  srcExclude: ['!(docs)/**/*.md', '!(README).md'],
  rewrites: Object.fromEntries(files.map((file) => [file, siteFileOf(file) ?? file])),
  cleanUrls: true,
  // deadLinks() checks the built pages instead, with their anchors
  ignoreDeadLinks: true,
  sitemap: { hostname: homepage },
  head: [['link', { rel: 'icon', href: `${base}icon.svg` }]],
  vite: { plugins: [vueOfPages] },
  // search engines should find the newest version only
  transformHead: ({ page }) => [
    ['link', { rel: 'canonical', href: homepage + page.replace(/(index)?\.md$/, '') }],
  ],
  markdown: {
    anchor: { slugify: slug },
    attrs: { disable: true },
    config: (md) => repositoryMarkdown(md, { source, blobs }),
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: sections.map(groupOf),
    nav: [
      { text: 'Getting started', link: '/getting-started' },
      { text: 'Reference', link: '/reference/http-api' },
      {
        text: folder === 'next/' ? 'next' : version,
        items: [
          ...others.map(({ title, folder: other }) => ({
            text: title,
            link: homepage + other,
            target: '_self',
          })),
          { text: 'Changelog', link: `${blobs}/CHANGELOG.md` },
        ],
      },
    ],
    socialLinks: [{ icon: 'github', link: github }],
    editLink: { pattern: `${github}/edit/main/:path` },
  },
  buildEnd: ({ outDir }) => {
    const site = { source, blobs, out: outDir, url, sections }
    writeTexts(site)
    writeRedirects(site, redirects)
    const dead = deadLinks(outDir, base)
    if (dead.length === 0) return
    const message = `Dead links:\n${dead.join('\n')}`
    // the text of a release cannot be mended any more
    if (ref === 'main') throw new Error(message)
    process.stderr.write(`${ref}: ${message}\n`)
  },
})
