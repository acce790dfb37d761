import path from 'node:path'

/**
 * Where to find the AI SDK, its client and the React of its client, when they are tested in another version than the one
 * in node_modules.
 *
 * @param folder The folder of the `ai` package.
 */
export function clientAliases(folder: string | undefined): { find: RegExp; replacement: string }[] {
  if (folder === undefined) return []
  const packages = path.dirname(folder)
  return [
    { find: /^ai$/, replacement: folder },
    { find: /^(@ai-sdk\/react|react|react-dom)(\/.*)?$/, replacement: `${packages}/$1$2` },
  ]
}
