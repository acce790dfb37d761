import bash from 'highlight.js/lib/languages/bash'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { createLowlight } from 'lowlight'
import type { ReactNode } from 'react'

const LANGUAGES = { bash, css, diff, go, javascript, json, python, sql, typescript, xml, yaml }

const lowlight = createLowlight(LANGUAGES)
lowlight.registerAlias({
  bash: ['console', 'shell'],
  json: ['json5', 'ndjson'],
})

/** Colours of the theme that have enough contrast for text. */
const COLORS: Readonly<Record<string, string>> = {
  keyword: 'text-accent',
  built_in: 'text-accent',
  type: 'text-accent',
  tag: 'text-accent',
  name: 'text-accent',
  'selector-tag': 'text-accent',
  string: 'text-ok',
  regexp: 'text-ok',
  addition: 'text-ok',
  deletion: 'text-error',
  number: 'text-suspended',
  literal: 'text-suspended',
  symbol: 'text-suspended',
  attr: 'text-suspended',
  attribute: 'text-suspended',
  meta: 'text-dim',
  comment: 'text-dim italic',
  quote: 'text-dim italic',
  title: 'font-semibold',
  section: 'font-semibold',
}

type Root = ReturnType<typeof lowlight.highlight>
type Node = Root['children'][number]

/** Depth of elements; deeper code is not highlighted. */
const MAX_DEPTH = 50

/** Code as elements with the colours of its language; plain when the language is not known. */
export function highlight(text: string, language: string): ReactNode {
  const name = language.toLowerCase()
  if (!lowlight.registered(name)) return text
  try {
    return lowlight.highlight(name, text).children.map((node, index) => rendered(node, index, 0))
  } catch {
    // nested too deeply
    return text
  }
}

function rendered(node: Node, key: number, depth: number): ReactNode {
  if (node.type === 'text') return node.value
  if (node.type !== 'element') return null
  if (depth > MAX_DEPTH) throw new RangeError('Too deep')
  const { className } = node.properties
  const [name = ''] = Array.isArray(className) ? className : []
  return (
    <span key={key} className={COLORS[String(name).replace(/^hljs-/, '')]}>
      {node.children.map((child, index) => rendered(child, index, depth + 1))}
    </span>
  )
}
