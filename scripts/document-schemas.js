// Writes the texts of schemas and endpoints into the compiler's declarations, so that editors show them. TypeScript keeps no
// comments in the types that it infers; the types that are derived from these declarations take the comments along.
import fs from 'node:fs'
import { register } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseAst } from 'rolldown/parseAst'
import { FIELD_TEXTS } from './field-texts.js'

const SOURCE = path.join(import.meta.dirname, '../src')
/** Where a wrapping schema has the schemas of its type arguments. */
const WRAPPED = {
  ZodOptional: ['innerType'],
  ZodNullable: ['innerType'],
  ZodDefault: ['innerType'],
  ZodPrefault: ['innerType'],
  ZodNonOptional: ['innerType'],
  ZodReadonly: ['innerType'],
  ZodCatch: ['innerType'],
  ZodArray: ['element'],
  ZodRecord: ['keyType', 'valueType'],
  ZodPipe: ['in', 'out'],
  ZodIntersection: ['left', 'right'],
  ZodUnion: ['options'],
  ZodDiscriminatedUnion: ['options'],
  ZodTuple: ['items'],
}

/**
 * Documents the declarations of one folder in place.
 *
 * @param {string} folder one declaration file for each module of `src`
 */
export async function documentSchemas(folder) {
  register('../tools/typescript.js', import.meta.url)
  for (const name of fs.readdirSync(folder, { recursive: true })) {
    const file = path.join(folder, name)
    if (!name.endsWith('.d.ts') || !fs.readFileSync(file, 'utf8').includes('ZodObject<')) continue
    const source = path.join(SOURCE, name.replace(/\.d\.ts$/, '.ts'))
    documentFile(file, await import(pathToFileURL(source).href))
  }
}

function documentFile(file, values) {
  const text = fs.readFileSync(file, 'utf8')
  const comments = []
  const document = (node, comment) => comments.push({ at: node.start, comment })
  for (const { declaration } of parseAst(text, { lang: 'dts' }).body)
    for (const { id } of declaration?.declarations ?? [])
      visit(id.typeAnnotation?.typeAnnotation, values[id.name], id.name, document)
  let documented = ''
  let from = 0
  for (const { at, comment } of comments.toSorted((one, other) => one.at - other.at)) {
    const indent = /[ ]*$/.exec(text.slice(text.lastIndexOf('\n', at) + 1, at))[0]
    const lines = comment.replaceAll('*/', '*\\/').split('\n')
    const block =
      lines.length === 1
        ? ` ${comment} `
        : `${lines.map((line) => `\n${indent} * ${line}`).join('')}\n${indent} `
    documented += `${text.slice(from, at)}/**${block}*/\n${indent}`
    from = at
  }
  fs.writeFileSync(file, documented + text.slice(from))
}

/** Documents the members of a type, which is that of `value`. */
function visit(node, value, owner, document) {
  if (node === undefined || value === undefined) return
  if (node.type === 'TSIntersectionType') for (const type of node.types) visit(type, value, owner, document)
  else if (node.type === 'TSTypeOperator') visit(node.typeAnnotation, value, owner, document)
  else if (node.type === 'TSTupleType')
    for (const [index, type] of node.elementTypes.entries()) visit(type, value[index], owner, document)
  else if (node.type === 'TSTypeLiteral') visitMembers(node, value, owner, document)
  else if (node.type === 'TSTypeReference' || node.type === 'TSImportType')
    visitSchema(node, value, owner, document)
}

/** Documents endpoints, and what they are made of. */
function visitMembers(node, value, owner, document) {
  for (const member of membersOf(node)) {
    const name = member.key.name ?? member.key.value
    const entry = value[name]
    if (typeof entry?.summary === 'string' && typeof entry.path === 'string')
      document(member, `${entry.summary}.\n\n\`${entry.method} ${entry.path}\``)
    visit(member.typeAnnotation.typeAnnotation, entry, `${owner}.${name}`, document)
  }
}

function visitSchema(node, schema, owner, document) {
  const type = node.typeName ?? node.qualifier
  const name = type?.right?.name ?? type?.name
  const args = node.typeArguments?.params ?? []
  const id = schema.meta?.()?.id ?? owner
  if (name === 'ZodObject') {
    if (args[0]?.type !== 'TSTypeLiteral') return
    for (const member of membersOf(args[0])) {
      const key = member.key.name ?? member.key.value
      const field = schema.shape[key]
      const text = described(field) ?? FIELD_TEXTS[`${id}.${key}`] ?? FIELD_TEXTS[key]
      if (text) document(member, text)
      visit(member.typeAnnotation.typeAnnotation, field, `${id}.${key}`, document)
    }
  } else
    for (const [index, part] of (WRAPPED[name] ?? []).entries())
      visit(args[index], schema.def[part], id, document)
}

function membersOf(node) {
  return node.members.filter(({ type }) => type === 'TSPropertySignature')
}

/** The description of a schema, or of what it wraps. */
function described(schema) {
  if (schema === undefined) return undefined
  const { innerType, in: input } = schema.def
  return schema.description ?? described(innerType ?? input)
}
