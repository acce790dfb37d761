import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { API, SignatureKind } from 'typescript/unstable/sync'
import type { Checker, Project, Symbol, Type } from 'typescript/unstable/sync'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))
const DIST = path.join(REPOSITORY, 'dist/')
const ENTRIES = ['index', 'server/index', 'client/index', 'react/index', 'testing/index']

/**
 * The exported names of the built package, and the members of everything that can be reached from them, each with its hover
 * text. A declaration is visited once. Private members, and those that start with `~`, are for types and this package only.
 */
class Hovers {
  readonly texts = new Map<string, string>()
  private readonly types = new Set<number>()
  private readonly members = new Set<string>()

  private readonly project: Project
  private readonly checker: Checker

  constructor(project: Project) {
    this.project = project
    this.checker = project.checker
  }

  visitEntry(entry: string): void {
    const file = this.project.program.getSourceFile(path.join(DIST, `${entry}.d.ts`))
    const names = file && this.checker.getSymbolAtLocation(file)?.getExports()
    for (const exported of names?.values() ?? []) {
      const symbol = exported.declarations.some(({ path: at }) => at.endsWith(`${entry}.d.ts`))
        ? this.checker.getAliasedSymbol(exported)
        : exported
      this.texts.set(`${entry}: ${exported.name}`, this.textOf(symbol))
      this.visitType(this.checker.getDeclaredTypeOfSymbol(symbol), exported.name)
      this.visitType(this.checker.getTypeOfSymbol(symbol), exported.name)
    }
  }

  private visitType(type: Type | undefined, place: string): void {
    if (type === undefined || this.types.has(type.id)) return
    this.types.add(type.id)
    // the members of an intersection have the texts of all its parts
    if (type.isIntersectionType()) this.visitMembers(type, place)
    if (type.isUnionType() || type.isIntersectionType())
      for (const part of type.getTypes()) this.visitType(part, place)
    else if (type.isConditionalType())
      for (const part of [type.getTrueType(), type.getFalseType()]) this.visitType(part, place)
    else if (type.isObjectType()) {
      if (type.isTypeReference())
        for (const argument of this.checker.getTypeArguments(type)) this.visitType(argument, place)
      const symbol = type.getSymbol()
      // what a library derives from our types has no name of its own
      if (symbol === undefined || symbol.name.startsWith('__') || isOurs(symbol))
        this.visitMembers(type, place)
    }
  }

  private visitMembers(type: Type, place: string): void {
    if (type.isTypeReference() && type.getTarget().isTupleType()) return
    for (const member of this.checker.getPropertiesOfType(type)) {
      const at = `${place}.${member.name}`
      const declared = member.declarations.map((node) => `${node.path}#${node.index}`).join()
      if (this.members.has(declared) || /^(~|__[#@]|prototype$)/.test(member.name)) continue
      if (declared !== '') {
        this.members.add(declared)
        if (!isOurs(member) || this.isTag(member)) continue
        this.texts.set(`${at} (${declared.replace(DIST, '')})`, this.textOf(member))
      }
      this.visitType(this.checker.getTypeOfSymbol(member), at)
    }
    for (const kind of [SignatureKind.Call, SignatureKind.Construct])
      for (const signature of this.checker.getSignaturesOfType(type, kind)) {
        for (const parameter of signature.getParameters())
          this.visitType(this.checker.getTypeOfSymbol(parameter), `${place}(${parameter.name})`)
        this.visitType(this.checker.getReturnTypeOfSignature(signature), `${place}()`)
      }
  }

  /** Whether it tells members of a union apart, is a value of an enum, or the name of an error. */
  private isTag(member: Symbol): boolean {
    return this.checker.getTypeOfSymbol(member)?.isStringLiteralType() === true
  }

  private textOf(symbol: Symbol): string {
    return symbol.getDocumentationComment(this.checker).trim()
  }
}

function isOurs(symbol: Symbol): boolean {
  return symbol.declarations.every((node) => node.path.startsWith(DIST))
}

/** Members without a text: a deprecated name, and members that the bundler or an intersection leaves without their comment. */
const WITHOUT_TEXT = [
  'Agent.memory.contextLimit',
  'Agent.tools.needsApproval(context).elicit().action',
  'Agent.tools.needsApproval(context).sample(request).messages.content.type',
  'AgentServerConfig.schedules.instants',
  'createTool().name',
]

describe('the types of the built package', () => {
  const config = path.join(DIST, 'hovers.tsconfig.json')
  const api = new API({ cwd: REPOSITORY })
  let hovers: Hovers
  beforeAll(() => {
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2023',
      strict: true,
      types: ['node'],
      jsx: 'react-jsx',
    }
    const files = ENTRIES.map((entry) => `${entry}.d.ts`)
    fs.writeFileSync(config, JSON.stringify({ compilerOptions, files }))
    const [project] = api.updateSnapshot({ openProject: config }).getProjects()
    if (!project) throw new Error('no project')
    hovers = new Hovers(project)
    for (const entry of ENTRIES) hovers.visitEntry(entry)
  }, 120_000)
  afterAll(() => {
    api.close()
    fs.rmSync(config, { force: true })
  })

  it('have a hover text for every exported name and every member', () => {
    expect(hovers.texts.size).toBeGreaterThan(1000)
    const missing = [...hovers.texts].filter(([, text]) => text === '').map(([place]) => place)
    expect(missing.map((place) => place.replace(/ \(.*\)$/, '')).toSorted()).toEqual(WITHOUT_TEXT)
  })

  it('show the summary of its endpoint for a method of the client', () => {
    const [, text] = [...hovers.texts].find(([place]) => place.includes('.executeTool (')) ?? []
    expect(text).toBe('Executes a tool and waits for its result.\n\n`POST /tools/:name/execute`')
  })
})
