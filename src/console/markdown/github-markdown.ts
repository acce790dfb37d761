import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'

function extendParser(this: { data(): object }) {
  Object.assign(this.data(), { micromarkExtensions: [gfm()], fromMarkdownExtensions: [gfmFromMarkdown()] })
}

/** Plugins for GitHub's tables, task lists and the like: what `remark-gfm` adds to the parser, without its serializer. */
export const GITHUB_MARKDOWN = [extendParser]
