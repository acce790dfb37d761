import fs from 'node:fs'
import path from 'node:path'

/** Determines which files Node treats as ES modules. */
export class PackageScopes {
  readonly #byDirectory = new Map<string, boolean>()

  clear(): void {
    this.#byDirectory.clear()
  }

  isModule(file: string): boolean {
    if (/\.m[jt]sx?$/.test(file)) return true
    if (/\.c[jt]sx?$/.test(file)) return false
    return this.#isModuleDirectory(path.dirname(file))
  }

  #isModuleDirectory(directory: string): boolean {
    const known = this.#byDirectory.get(directory)
    if (known !== undefined) return known
    // a package without package.json does not inherit the type of the enclosing project
    if (path.basename(directory) === 'node_modules') return false
    const parent = path.dirname(directory)
    const declared = typeField(path.join(directory, 'package.json'))
    const isModule = declared ?? (parent === directory ? false : this.#isModuleDirectory(parent))
    this.#byDirectory.set(directory, isModule)
    return isModule
  }
}

/** Undefined without a package.json: the parent directory decides. */
function typeField(packageFile: string): boolean | undefined {
  try {
    const parsed: unknown = JSON.parse(fs.readFileSync(packageFile, 'utf8'))
    return typeof parsed === 'object' && parsed !== null && 'type' in parsed && parsed.type === 'module'
  } catch (error) {
    // an unreadable package.json has no type; resolution reports the error
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : false
  }
}
