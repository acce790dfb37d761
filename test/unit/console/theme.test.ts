import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const CONSOLE = path.join(import.meta.dirname, '../../../src/console')
const THEME = readFileSync(path.join(CONSOLE, 'theme.css'), 'utf8')
const SOURCES = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => ({ file, text: readFileSync(path.join(CONSOLE, file), 'utf8') }))

const THEMES = ['light', 'dark'] as const
const COLOURS = new Map(
  [...THEME.matchAll(/--color-([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(
    ([, name = '', light = '', dark = '']) => [name, { light, dark }],
  ),
)

/** Relative luminance, as WCAG defines it. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string, theme: (typeof THEMES)[number]): number {
  const [low = 0, high = 0] = [one, other]
    .map((name) => luminance(COLOURS.get(name)?.[theme] ?? name))
    .toSorted((first, second) => first - second)
  return (high + 0.05) / (low + 0.05)
}

describe('the type scale of the console', () => {
  it('has three steps', () => {
    const sizes = [...THEME.matchAll(/--text-(\w+): (\d+)px/g)].map(([, name, size]) => `${name} ${size}`)
    expect(sizes).toEqual(['sm 12', 'base 13', 'lg 16'])
  })

  it('is the only source of font sizes', () => {
    const found = SOURCES.flatMap(({ file, text }) =>
      [...text.matchAll(/\btext-(?:xs|xl|\dxl|\[\d[^\]]*\])|font-?[sS]ize['"]?:(?! ?'var\(--text-)/g)].map(
        ([size]) => `${file}: ${size}`,
      ),
    )
    expect(found).toEqual([])
  })
})

describe.each(THEMES)('the colours of the console, %s', (theme) => {
  const surfaces = ['page', 'panel', 'raised', 'hover', 'chosen']
  const texts = ['text', 'dim', 'accent', 'running', 'suspended', 'ok', 'error', 'cancelled']

  it.each(texts)('have a contrast of 4.5 for text in %s on every surface', (name) => {
    const low = surfaces.filter((surface) => contrast(name, surface, theme) < 4.5)
    expect(low).toEqual([])
  })

  it('have a contrast of 3 for bars and borders of fields', () => {
    const names = [...COLOURS.keys()].filter((name) => name.startsWith('kind-') || name === 'line-strong')
    expect(names.length).toBeGreaterThan(6)
    expect(names.filter((name) => contrast(name, 'page', theme) < 3)).toEqual([])
  })

  it('have one accent', () => {
    expect(COLOURS.get('running')?.[theme]).toBe(COLOURS.get('accent')?.[theme])
    expect(contrast('on-accent', 'accent', theme)).toBeGreaterThanOrEqual(4.5)
    const others = SOURCES.filter(({ text }) => /#[0-9a-f]{6}\b/i.test(text)).map(({ file }) => file)
    expect(others).toEqual([])
  })
})
