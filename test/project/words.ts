// Which words name what in src: identifiers are read as words, `takeBaseRun` as take, base, run.

/** A part of the source: what is no code is passed over, a template's holes are code again. */
const TOKEN =
  /\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|(?<=(?:^|[=(,:[!&|?{};>]|return|=>)\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/\w*|`|[{}]|[A-Za-z_$][\w$]*/gm
const TEMPLATE_TEXT = /(?:\\.|\$(?!\{)|[^`\\$])*(?:`|\$\{)/gy

export function identifiersOf(source: string): ReadonlySet<string> {
  const found = new Set<string>()
  const braces: ('code' | 'hole')[] = []
  const skipTemplateText = (): void => {
    TEMPLATE_TEXT.lastIndex = TOKEN.lastIndex
    const [text = ''] = TEMPLATE_TEXT.exec(source) ?? []
    TOKEN.lastIndex += text.length
    if (text.endsWith('${')) braces.push('hole')
  }
  TOKEN.lastIndex = 0
  for (let match = TOKEN.exec(source); match; match = TOKEN.exec(source)) {
    const [token] = match
    if (token === '`') skipTemplateText()
    else if (token === '{') braces.push('code')
    else if (token === '}') {
      if (braces.pop() === 'hole') skipTemplateText()
    } else if (/^[\w$]/.test(token)) found.add(token)
  }
  return found
}

export function wordsOf(identifier: string): readonly string[] {
  return identifier
    .split(/_|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
    .filter(Boolean)
    .map((word) => word.toLowerCase())
}

export function exportsOf(source: string): readonly string[] {
  const forms = /^export (?:declare |abstract |async )*(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm
  return [...new Set([...source.matchAll(forms)].map(([, name = '']) => name))]
}
