import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { escapeNode } from '../../../../src/console/ui/escape-text.ts'

const HOSTILE = 'invoice\u202Efdp.exe\u0007'
const SHOWN = String.raw`invoice\u202efdp.exe\x07`

it('a node shows invisible characters as escapes, in all texts and tooltips of its elements', () => {
  const node = createElement('span', { title: HOSTILE }, 'a', [
    createElement('b', { key: 'b' }, HOSTILE),
    createElement('i', { key: 'i' }, 1, HOSTILE),
  ])
  expect(renderToStaticMarkup(createElement('div', null, escapeNode(node)))).toBe(
    `<div><span title="${SHOWN}">a<b>${SHOWN}</b><i>1${SHOWN}</i></span></div>`,
  )
  expect(escapeNode(HOSTILE)).toBe(SHOWN)
})

it('a node without them stays the same', () => {
  const node = createElement('span', { title: 'a' }, createElement('b', null, 'Grüße, 你好'))
  expect(escapeNode(node)).toBe(node)
  for (const other of [null, undefined, false, 7, '']) expect(escapeNode(other)).toBe(other)
})
