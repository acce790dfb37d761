const MAX_ATTEMPTS = 3

/** Tries again what failed because of another machine: `causes` are the codes of Postgres and what to do first. */
export async function retried<Result>(
  causes: Readonly<Record<string, () => void>>,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const prepare = causes[String(sqlState(error))]
      if (prepare === undefined || attempt === MAX_ATTEMPTS) throw error
      prepare()
    }
  }
}

export const DEADLOCK = '40P01'
export const NO_PARTITION = '23514'
export const NOT_UNIQUE = '23505'
export const NO_REFERENCE = '23503'

/** The code of an error of Postgres. */
export function sqlState(error: unknown): unknown {
  return (error as { readonly code?: unknown } | null)?.code
}
