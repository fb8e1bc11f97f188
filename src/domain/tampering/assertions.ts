// What a test asserts, line by line: where one begins, what is an assertion, how strict it is. By the words of the common test
// libraries; an assertion of a project's own helper is seen only where its name says so.

/** A line that is only a comment runs nothing. */
export function isComment(text: string): boolean {
  return /^\s*(?:\/\/|\/\*|\*(?!\w)|--\s|<!--|#(?!!?\[))/.test(text)
}

const DEFINITIONS: readonly RegExp[] = [
  /^\s*(?:async\s+)?def\s+(test\w*)/,
  /(?<![\w.$])(?:it|test|specify|describe|suite|scenario|bench|Deno\.test)(?:\.\w+)*\s*\(\s*['"`](.+?)['"`]\s*[,)]/,
  /^func\s+(?:\([^)]*\)\s*)?((?:Test|Fuzz|Example|Benchmark)\w*)\s*\(/,
  /\bfunc(?:tion)?\s+(test\w*)\s*\(/,
  /^\s*(?:it|specify|test|scenario|example)\s+(['"].+?['"])/,
  /^\s*TEST(?:_[FP])?\s*\(\s*(\w+\s*,\s*\w+)/,
  /^\s*(?:TEST_CASE|SCENARIO|SECTION)\s*\(\s*"(.+?)"/,
  /^\s*@test\s+(['"].+?['"])/,
  /^\s*(@(?:Test|ParameterizedTest|RepeatedTest)\b)/,
  /^\s*(\[(?:Fact|Theory|Test|TestMethod|TestCase)\b)/,
  /^\s*(#\[(?:\w+::)*test\b)/,
]

/** The name of the test that begins in a line; where its name stands elsewhere, the mark of one. */
export function parseTestName(text: string): string | undefined {
  if (isComment(text)) return undefined
  for (const pattern of DEFINITIONS) {
    const name = pattern.exec(text)?.[1]
    if (name !== undefined) return name
  }
  return undefined
}

const ASSERTION =
  /\b(?:assert\w*(?:\.\w+)*\s*(?:!?[( ]|::)|expect(?:_\w+)?\s*[.(]|(?:EXPECT|ASSERT|REQUIRE|CHECK)(?:_\w+)?\s*\(|require\.\w+\(|should(?:\.|_not\b|\b\s*[(.])|\.should\b|pytest\.raises|raise_error|refute\w*|verify\w*\(|ensure\w*\(|t\.(?:Error|Fatal)f?\(|t\.(?:is|deepEqual|equal|like|truthy|throws|rejects|match)\w*\(|[Xx]CTAssert\w*)/

export function isAssertion(text: string): boolean {
  return !isComment(text) && ASSERTION.test(text)
}

const EXACT =
  /\bto(?:Be|Equal|StrictEqual|HaveBeenCalledWith|HaveBeenCalledTimes|Throw|MatchInlineSnapshot)\(|\b(?:strict|deepStrict|deep)?[eE]quals?\(|assert(?:Equals?|Dict|List|CountEqual|Same|ThrowsExactly|Raises\w*)\w*\b|assert_(?:eq|ne)|\bEXPECT_(?:EQ|STREQ|THROW)|\bASSERT_(?:EQ|STREQ)|\.(?:Equal|ElementsMatch|is|deepEqual)\(|[^=!<>]==(?!=)|===|\bassert_called_once_with\b|\beq\(|is_\w*equal|pytest\.raises\(\s*(?!Base?Exception\b)/
const LOOSE =
  /\bto(?:BeTruthy|BeFalsy|BeDefined|BeInstanceOf|Contain|Match|MatchObject|BeCloseTo|BeGreaterThan|BeLessThan|HaveBeenCalled|HaveProperty)\w*\(|\.not\.|expect\.any|\bassert(?:True|False|In|NotIn|Is|IsNot|IsNotNone|NotNull|NotEqual|Greater|Less|AlmostEqual|Regex|That|IsInstance)\w*\(|\bassert\.(?:ok|match|notEqual)\w*\(|\bassert!?\(|^\s*assert\b(?!.*==)|\bEXPECT_(?:TRUE|NE|NEAR|GT|GE|LT|LE)|\bASSERT_(?:TRUE|NE)|\.(?:NotNil|True|Contains|NotEmpty|truthy|like)\(|\bANY\b|\bBaseException\b|raises\(\s*Exception\b/

/** `loose`: more than one value satisfies it. */
export function classifyStrictness(text: string): 'exact' | 'loose' | 'unknown' {
  if (EXACT.test(text)) return 'exact'
  return LOOSE.test(text) ? 'loose' : 'unknown'
}

const LITERAL =
  /(?<!\\)(['"`])(?:\\.|(?!\1)[^\\])*\1|\b\d[\w.]*\b|\b(?:true|false|True|False|null|None|nil|undefined)\b/g

/** Two assertions of the same shape differ in the value that they want, if in anything. */
export function toAssertionShape(text: string): string {
  return text.replace(LITERAL, '§').replace(/\s+/g, ' ').trim()
}

const WIDER = [
  /\b(?:delta|tol\w*|[ar]tol|rel|abs|eps\w*|within|timeout\w*)["']?\s*[=:(,]\s*(\d[\d.e_+-]*)/i,
  /\babs\(.*\)\s*<=?\s*(\d[\d.e_+-]*)/,
  /\b(?:EXPECT|ASSERT)_NEAR\(.*,\s*(\d[\d.e_+-]*)\s*\)/,
]
const FINER = [/\b(?:places|decimals?|precision|digits)["']?\s*[=:]\s*(\d+)/i, /\btoBeCloseTo\([^,]*,\s*(\d+)\s*\)/]

/** More is tolerated than before. */
export function toleratesMore(before: string, now: string): boolean {
  const numbers = (pattern: RegExp) => [before, now].map((text) => Number(pattern.exec(text)?.[1] ?? Number.NaN))
  const is = (patterns: readonly RegExp[], grown: (was: number, is: number) => boolean) =>
    patterns.some((pattern) => {
      const [was = Number.NaN, now = Number.NaN] = numbers(pattern)
      return grown(was, now)
    })
  return is(WIDER, (was, now) => now > was) || is(FINER, (was, now) => now < was)
}
