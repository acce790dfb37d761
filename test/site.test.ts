import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { deadLinks } from '../site/check-links.ts'
import { writeRedirects, writeTexts } from '../site/extra-files.ts'
import { routeOf, sectionsOf } from '../site/pages.ts'
import { documentationPages } from './docs/pages.ts'
import { TempProject } from './support/project/temp-project.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

function folder(files: Readonly<Record<string, string>>): TempProject {
  const project = new TempProject(files)
  onTestFinished(() => project.remove())
  return project
}

describe('the site', () => {
  const sections = sectionsOf(ROOT)
  const routes = sections.flatMap(({ pages }) => pages.map(routeOf))

  test('has every page of docs/ once in its sidebar, by title', () => {
    const files = sections.flatMap(({ pages }) => pages.map(({ file }) => file))
    const forUsers = documentationPages().map(({ path }) => path)
    expect(forUsers.filter((file) => file !== 'README.md' && !files.includes(file))).toEqual([])
    expect(new Set(files).size).toBe(files.length)
    expect(sections.map(({ title }) => title)).toEqual(
      expect.arrayContaining(['Start', 'Guides', 'Decisions']),
    )
    expect(sections[0]?.pages[0]).toMatchObject({ title: 'Getting started' })
    expect(routes).toContain('/guides/tools')
    expect(routes).toContain('/decisions/')
  })

  test('is not built without a page that llms.txt forgot', () => {
    const { root } = folder({
      'llms.txt': '## Start\n\n- [A](docs/a.md): a\n',
      'docs/a.md': '# A',
      'docs/b.md': '# B',
    })
    expect(() => sectionsOf(root)).toThrow('llms.txt does not list docs/b.md')
  })

  test('redirects from moved pages to pages that it has', () => {
    const redirects = JSON.parse(fs.readFileSync(`${ROOT}site/redirects.json`, 'utf8')) as Record<
      string,
      string
    >
    expect(Object.values(redirects).filter((to) => !routes.includes(`/${to}`))).toEqual([])
    expect(Object.keys(redirects).filter((from) => routes.includes(`/${from}`))).toEqual([])
  })
})

describe('what is written beside the pages', () => {
  const site = (project: TempProject) => ({
    source: project.root,
    out: project.path('out'),
    url: 'https://o.github.io/n/v1.0.0/',
    blobs: 'https://github.com/o/n/blob/v1.0.0',
    sections: sectionsOf(project.root),
  })
  const project = () =>
    folder({
      'README.md': '# n\n\n[A](docs/guides/a.md)\n',
      'llms.txt': '# n\n\n## Guides\n\n- [A](docs/guides/a.md): a\n',
      'docs/guides/a.md':
        '# A\n\n[code](../../x/a.ts) [reasons](../decisions/README.md#why) [x](https://x.dev)\n',
      'docs/decisions/README.md': '# Decisions\n\n## Why\n',
      'docs/reference/openapi.json': '{}',
      'src/console/icon.svg': '<svg/>',
      'x/a.ts': '',
      'out/guides/a.html': '',
    })

  test('is Markdown with absolute links, and in llms-full.txt what is for users', () => {
    const files = project()
    writeTexts(site(files))
    const text =
      '# A\n\n[code](https://github.com/o/n/blob/v1.0.0/x/a.ts) ' +
      '[reasons](https://o.github.io/n/v1.0.0/decisions/index.md#why) [x](https://x.dev)\n'
    expect(files.read('out/guides/a.md')).toBe(text)
    expect(files.read('out/llms.txt')).toContain('- [A](https://o.github.io/n/v1.0.0/guides/a.md): a')
    const full = files.read('out/llms-full.txt')
    expect(full).toContain(`Source: https://o.github.io/n/v1.0.0/guides/a.md\n\n${text}`)
    expect(full).toContain('Source: https://o.github.io/n/v1.0.0/index.md\n\n# n')
    expect(full).not.toContain('# Decisions')
  })

  test('is a redirect at each old address, unless that is a page', () => {
    const files = project()
    writeRedirects(site(files), { 'guides/old': 'guides/a' })
    expect(files.read('out/guides/old.html')).toContain('content="0; url=/n/v1.0.0/guides/a"')
    expect(deadLinks(files.path('out'), '/n/v1.0.0/')).toEqual([])
    expect(() => writeRedirects(site(files), { 'guides/a': 'guides/b' })).toThrow('guides/a is a page')
  })
})

test('the check of links finds pages, files and anchors that are not there', () => {
  const { root } = folder({
    'index.html':
      '<a href="/n/"></a><a href="/n/a#there"></a><a href="#here" id="here"></a><a href="https://x.dev"></a>' +
      '<a href="/n/b"></a><a href="/n/a#gone"></a><a href="/other/a"></a><img src="/n/c.png"><a href="#gone"></a>',
    'a.html': '<h2 id="there"></h2><a href="a"></a>',
  })
  expect(deadLinks(root, '/n/').toSorted()).toEqual([
    'a.html: a',
    'index.html: #gone',
    'index.html: /n/a#gone',
    'index.html: /n/b',
    'index.html: /n/c.png',
    'index.html: /other/a',
  ])
})

test('the builds are one for each release, the newest at the root, and what is not released in next/', () => {
  const { root } = folder({
    'site/build.js': fs.readFileSync(`${ROOT}site/build.js`, 'utf8'),
    'package.json': '{ "type": "module" }',
  })
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: root })
  const builds = () =>
    execFileSync(process.execPath, ['site/build.js', '--list'], { cwd: root, encoding: 'utf8' })
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '--message', 'a')
  expect(builds()).toBe('/ main\n')
  for (const tag of ['v0.9.0', 'v0.10.0', 'v1.0.0-rc.1', 'vague']) git('tag', tag)
  expect(builds()).toBe('/ v0.10.0\n/v0.10.0/ v0.10.0\n/v0.9.0/ v0.9.0\n/next/ main\n')
})
