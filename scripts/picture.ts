// Draws what a terminal showed as an SVG: `FORCE_COLOR=1 npm run --silent demo -- --brief | node scripts/picture.ts 25 > docs/demo.svg`
// makes the README's picture from a real run. Knows the few colours that our own output uses, nothing else.
import { text } from 'node:stream/consumers'
import { stripVTControlCharacters } from 'node:util'

const COLOURS: Readonly<Record<string, string>> = {
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  35: '#d2a8ff',
  36: '#79c0ff',
}
const LINE = 18
const CHARACTER = 8.43
const COLUMNS = 116

const most = Number(process.argv[2] ?? 60)
const lines = (await text(process.stdin)).trimEnd().split('\n').slice(0, most)
const height = (lines.length + 2) * LINE
const width = Math.ceil((COLUMNS + 3) * CHARACTER)
process.stdout.write(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title>${xml(stripVTControlCharacters(lines.find((line) => line.trim() !== '') ?? ''))}</title>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#c9d1d9" xml:space="preserve">
${lines.map((line, index) => `<text x="14" y="${(index + 1.6) * LINE}">${spans(line)}</text>`).join('\n')}
</g>
</svg>
`)

function spans(line: string): string {
  let [colour, bold, faint, column] = ['', false, false, 0]
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what this is about
  return [...line.matchAll(/\u001b\[([\d;]*)m|[^\u001b]+/g)]
    .map(([part, codes]) => {
      if (codes !== undefined) {
        for (const code of codes.split(';')) {
          if (code === '1') bold = true
          else if (code === '2') faint = true
          else if (code === '22') [bold, faint] = [false, false]
          else if (code === '39' || code === '0' || code === '') colour = ''
          if (code === '0' || code === '') [bold, faint] = [false, false]
          if (COLOURS[code]) colour = COLOURS[code]
        }
        return ''
      }
      const shown = stripVTControlCharacters(part).slice(0, Math.max(0, COLUMNS - column))
      column += shown.length
      const style = [colour && `fill="${colour}"`, bold && 'font-weight="bold"', faint && 'fill-opacity="0.6"'].filter(
        Boolean,
      )
      return `<tspan ${style.join(' ')}>${xml(shown)}</tspan>`
    })
    .join('')
}

function xml(part: string): string {
  return part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
