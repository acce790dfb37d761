import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { allPages, anchorOf, documentationPages, readText, root } from './pages.ts'
import type { Page } from './pages.ts'
import { replaceBlocks } from './reference/generated-blocks.ts'

const FOLDER = 'docs/decisions/'
const INDEX = `${FOLDER}README.md`

const areas = allPages().filter(({ path }) => path.startsWith(FOLDER) && path !== INDEX)
const decisions = areas.flatMap(({ path, text }) =>
  text
    .split(/^## /m)
    .slice(1)
    .map((section) => ({ path, title: section.split('\n')[0] ?? '', section })),
)

describe('the decisions', () => {
  test.each(decisions)('$path, $title, has its context and the alternatives', ({ section }) => {
    expect(section.match(/^\*\*\w+\.\*\* \S/gm)?.map((start) => start.slice(2, -5))).toEqual([
      'Context',
      'Decision',
      'Alternatives',
    ])
  })

  test('are listed in the index; `npm run docs` rewrites it', async () => {
    const index = areas.map((page) => areaList(page)).join('\n\n')
    const current = replaceBlocks(readText(INDEX), { index })
    await expect(current).toMatchFileSnapshot(fileURLToPath(new URL(INDEX, root)))
  })

  test('are not in the package, whose pages have no link to them', () => {
    const { files } = JSON.parse(readText('package.json')) as { files: string[] }
    expect(files).toContain('!docs/decisions')
    const pages = [...documentationPages(), { path: 'llms.txt', prose: readText('llms.txt') }]
    const linking = pages.filter(({ prose }) => /\]\([^)]*decisions(?:\.md|\/)/.test(prose))
    expect(linking.map(({ path }) => path)).toEqual([])
  })
})

/** The decisions of an area as a list of links. */
function areaList({ path, text }: Page): string {
  const file = path.slice(FOLDER.length)
  const titles = [...text.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title)
  const heading = /^# (.+)$/m.exec(text)?.[1] ?? ''
  return `## ${heading}\n\n${titles.map((title) => `- [${title}](${file}#${anchorOf(title)})`).join('\n')}`
}
