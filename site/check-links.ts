import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'

/** The links of a built site to pages, files and anchors that it does not have, each with its page. */
export function deadLinks(out: string, base: string): string[] {
  const names = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.html'),
  )
  const pages = new Map(
    names.map((name) => [name.replaceAll('\\', '/'), readFileSync(path.join(out, name), 'utf8')]),
  )
  const anchors = new Map([...pages].map(([name, html]) => [name, new Set(attributes(html, 'id'))]))
  return [...pages].flatMap(([name, html]) =>
    [...new Set([...attributes(html, 'href'), ...attributes(html, 'src')])]
      .filter((link) => !/^([a-z]+:|\/\/)/i.test(link) && !leads(link, name))
      .map((link) => `${name}: ${link}`),
  )

  function leads(link: string, from: string): boolean {
    const [place = '', anchor] = link.split('#')
    if (place !== '' && !place.startsWith(base)) return false
    const target = place === '' ? from : fileOf(decodeURI(place.slice(base.length)))
    if (!existsSync(path.join(out, target))) return false
    return anchor === undefined || (anchors.get(target)?.has(decodeURIComponent(anchor)) ?? false)
  }
}

/** The file that a static server returns for a path without a slash before it. */
function fileOf(place: string): string {
  if (place === '' || place.endsWith('/')) return `${place}index.html`
  return path.posix.extname(place) === '' ? `${place}.html` : place
}

function attributes(html: string, name: string): string[] {
  return [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value = '']) =>
    value.replaceAll('&amp;', '&').replaceAll('&#39;', "'"),
  )
}
