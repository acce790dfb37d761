/** A problem of a declaration. */
export interface FoundProblem {
  /** What is invalid and what is expected. */
  readonly message: string
  /** The declaration with the problem, where it is not the one that reports it. */
  readonly declaration?: Declaration | undefined
}

/** Where an object was declared, and what is wrong with its declaration. */
export interface Declaration {
  /** Has the place in the project's code. V8 formats it when it is read, which only errors do. */
  readonly stack: string
  readonly problems: readonly FoundProblem[]
}

/** Known to all copies of the package: a configuration may have objects of several. */
const DECLARATION: unique symbol = Symbol.for('agentserver.declaration') as never

interface Declared {
  readonly [DECLARATION]?: Declaration
}

/**
 * Adds to an object that it is declared where `maker`, a function of this package, was called. Nothing that lists the
 * members of the object shows it.
 *
 * @param problems those of the declaration. Default: none.
 */
export function declaredHere<Made extends object>(
  object: Made,
  maker: (...parameters: never[]) => unknown,
  problems: readonly FoundProblem[] = [],
): Made {
  const declaration = { problems }
  Error.captureStackTrace(declaration, maker)
  return Object.defineProperty(object, DECLARATION, { value: declaration })
}

/** Adds to an object that it is declared where `original` is. */
export function declaredAs<Made extends object>(object: Made, original: object): Made {
  return Object.defineProperty(object, DECLARATION, { value: declarationOf(original) })
}

/** The declaration of an object. Undefined for those that this package did not make. */
export function declarationOf(object: object): Declaration | undefined {
  return (object as Declared)[DECLARATION]
}
